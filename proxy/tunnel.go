package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch"
)

// dialled is a connection with its place in the bulkhead.
type dialled struct {
	net.Conn
	release func()
}

var errFault = errors.New("proxy: a fault refused the connection")

// tunnel joins the client with a dependency, byte by byte. The guarded call is
// making the connection; its place is kept for as long as the connection is.
func (r *route) tunnel(w http.ResponseWriter, req *http.Request) {
	x := &exchange{Context: req.Context(), route: r}
	r.enter()
	defer r.leave()
	r.life.tunnels.Add(1)
	defer r.life.tunnels.Add(-1)
	if req.ProtoMajor != 1 {
		r.proxy.answer(w, req, problem{Status: http.StatusNotImplemented, Reason: reasonClient, Dependency: r.name, Detail: "A tunnel needs HTTP/1.1."})
		return
	}
	there, err := stanch.Do(x, r.guard, func(ctx context.Context) (dialled, error) { return r.dial(ctx, x, req.Host) })
	if err != nil {
		r.failed(w, req.WithContext(x), err)
		return
	}
	defer there.release()
	defer there.Close()
	here, read, err := http.NewResponseController(w).Hijack()
	if err != nil {
		r.proxy.options.Log.Error("tunnel", "dependency", r.name, "error", err)
		return
	}
	defer here.Close()
	here.SetDeadline(time.Now().Add(r.proxy.options.ClientIdle))
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection Established\r\n\r\n"); err != nil {
		return
	}
	if early := read.Reader.Buffered(); early > 0 { // sent together with the request
		if _, err := io.CopyN(there, read, int64(early)); err != nil {
			return
		}
	}
	here.SetDeadline(time.Time{})
	defer context.AfterFunc(r.proxy.life, func() { here.Close(); there.Close() })()
	join(here, there.Conn, r.dep.HTTP.StreamIdle)
}

// dial is one attempt at a connection.
func (r *route) dial(ctx context.Context, x *exchange, address string) (dialled, error) {
	x.number++
	if status, err := r.life.afflict(ctx); err != nil {
		return dialled{}, err
	} else if status != 0 {
		return dialled{}, &net.OpError{Op: "dial", Net: "tcp", Err: errFault}
	}
	conn, err := r.dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return dialled{}, err
	}
	return dialled{conn, stanch.HoldOpen(ctx)}, nil
}

// join copies in both directions until both have ended, or one has failed, or
// nothing has passed in either for the idle time.
func join(a, b net.Conn, idle time.Duration) {
	j := &joint{idle: idle}
	j.touch()
	done := make(chan struct{})
	go func() {
		defer close(done)
		j.pass(a, b)
	}()
	j.pass(b, a)
	<-done
}

// A joint is two connections that are one.
type joint struct {
	idle time.Duration
	last atomic.Int64 // when anything passed
}

func (j *joint) touch() { j.last.Store(time.Now().UnixNano()) }

// pass copies from src to dst. At the end of src the other way stays open; at an
// error both are closed, since half of what was sent is worth nothing.
func (j *joint) pass(dst, src net.Conn) {
	buf := buffers{}.Get()
	defer buffers{}.Put(buf)
	for {
		n, err := j.read(src, buf)
		if n > 0 {
			dst.SetWriteDeadline(time.Now().Add(j.idle))
			if _, err := dst.Write(buf[:n]); err != nil {
				break
			}
			j.touch()
		}
		if err == io.EOF {
			if half, ok := dst.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
				return
			}
		}
		if err != nil {
			break
		}
	}
	src.Close()
	dst.Close()
}

// read waits for as long as anything passes in either direction.
func (j *joint) read(src net.Conn, buf []byte) (int, error) {
	for {
		until := time.Unix(0, j.last.Load()).Add(j.idle)
		src.SetReadDeadline(until)
		n, err := src.Read(buf)
		if t, ok := errors.AsType[net.Error](err); n > 0 || !ok || !t.Timeout() || !time.Unix(0, j.last.Load()).Add(j.idle).After(until) {
			return n, err
		}
	}
}

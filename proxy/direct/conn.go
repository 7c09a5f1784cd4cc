package direct

import (
	"bufio"
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync"
	"syscall"
	"time"
)

// maxInformed is how many answers 1xx may come before the proper one.
const maxInformed = 64

var (
	errHeader   = errors.New("the header of the answer is too long")
	errInformed = errors.New("too many answers 1xx")
	errSwitched = errors.New("an answer 101 to a request that did not ask for another protocol")
)

// A conn is a connection. Only who has taken it from the pool may use it, but for
// Close.
type conn struct {
	net.Conn
	t    *Transport
	raw  syscall.RawConn // nil if it cannot be looked at
	gone func()          // closes it, at any time

	*buffers               // while in use
	came     bool          // something of the answer has
	left     int64         // bytes that may still be read
	pause    time.Duration // the longest that a body may say nothing; 0: no limit
	bound    time.Time     // until when a read may take, if not zero
	since    time.Time     // it is idle

	peek  func(fd uintptr) // sets quiet
	first [1]byte
	quiet bool
}

// buffers are what a connection needs while it is in use.
type buffers struct {
	head []byte
	in   bufio.Reader
}

var spare = sync.Pool{New: func() any { return &buffers{head: make([]byte, 0, 1<<10), in: *bufio.NewReaderSize(nil, 4<<10)} }}

func newConn(t *Transport, nc net.Conn) *conn {
	c := &conn{Conn: nc, t: t}
	c.gone = func() { nc.Close() }
	c.peek = c.look
	if s, ok := nc.(syscall.Conn); ok {
		c.raw, _ = s.SyscallConn()
	}
	return c
}

// exchange sends a request and reads the header of its answer. If it returns none
// the connection is closed.
func (c *conn) exchange(ctx context.Context, req *http.Request) (resp *http.Response, err error) {
	c.buffers = spare.Get().(*buffers)
	c.in.Reset(c)
	c.came, c.left, c.pause = false, c.t.header, 0
	stop := whenOver(ctx, c.gone)
	defer func() {
		if resp == nil { // also after a panic
			stop()
			c.Close()
		}
	}()
	if resp, err = c.send(ctx, req); err != nil {
		return nil, err
	}
	c.left = math.MaxInt64
	keep := !resp.Close && !req.Close
	if resp.Body == http.NoBody {
		c.end(keep, stop)
		return resp, nil
	}
	resp.Body = &Body{conn: c, ctx: ctx, src: resp.Body, keep: keep, stop: stop}
	return resp, nil
}

// whenOver is context.AfterFunc for what does not block. A context that can call
// directly need not make a Done channel and start a goroutine for it.
func whenOver(ctx context.Context, f func()) (stop func() bool) {
	if c, ok := ctx.(interface{ AfterFunc(func()) func() bool }); ok {
		return c.AfterFunc(f)
	}
	return context.AfterFunc(ctx, f)
}

func (c *conn) send(ctx context.Context, req *http.Request) (*http.Response, error) {
	c.until(time.Time{}) // that of a body before
	var err error
	if c.head, err = appendHead(c.head[:0], req); err != nil {
		return nil, err
	}
	if _, err := c.Write(c.head); err != nil {
		return nil, err
	}
	if c.t.wait > 0 {
		c.until(time.Now().Add(c.t.wait))
		defer c.until(time.Time{})
	}
	for range maxInformed + 1 {
		resp, err := http.ReadResponse(&c.in, req)
		switch {
		case err != nil:
			return nil, err
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, errSwitched
		case resp.StatusCode >= 200 || resp.StatusCode < 100:
			return resp, nil
		}
		if trace := httptrace.ContextClientTrace(ctx); trace != nil && trace.Got1xxResponse != nil {
			if err := trace.Got1xxResponse(resp.StatusCode, textproto.MIMEHeader(resp.Header)); err != nil {
				return nil, err
			}
		}
	}
	return nil, errInformed
}

// Read reads for the buffer.
func (c *conn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errHeader
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	if c.pause > 0 {
		c.extend()
	}
	n, err := c.Conn.Read(p)
	c.left -= int64(n)
	c.came = c.came || n > 0
	return n, err
}

// extend sets the deadline anew. One that was set just now will do: it has a bit
// more than it should for that.
func (c *conn) extend() {
	now, more := time.Now(), c.pause/32
	if until := now.Add(c.pause + more); until.Sub(c.bound) >= more {
		c.until(until)
	}
}

// until sets until when the next read may take.
func (c *conn) until(t time.Time) {
	if t != c.bound {
		c.bound = t
		c.SetReadDeadline(t)
	}
}

// end keeps the connection for the next request, if it can be used again. It is
// called by who reads from it.
func (c *conn) end(keep bool, stop func() bool) {
	keep = stop() && keep && c.raw != nil && c.in.Buffered() == 0
	b := c.buffers
	c.buffers = nil
	b.in.Reset(nil)
	if cap(b.head) <= 16<<10 {
		spare.Put(b)
	}
	if !keep || !c.t.pool.put(c) {
		c.Close()
	}
	c.t.leave()
}

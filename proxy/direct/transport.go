package direct

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// A Transport is an http.RoundTripper for requests to one address. It must only
// be given those that [Takes] reports. It is safe for concurrent use.
//
// The context of a request bounds all of it, up to the end of the answer's body.
// When it ends, its cause is the error. A body must be read to its end or
// closed; one that is closed before its end takes its connection with it.
type Transport struct {
	addr   string
	dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	wait   time.Duration // for the header of an answer
	header int64         // bytes that it may have
	places chan struct{} // one for each connection in use; nil for any number
	pool   pool
}

// New returns a Transport for connections to addr, host:port, with the dialer and
// the limits of another one: MaxConnsPerHost, MaxIdleConnsPerHost,
// IdleConnTimeout, ResponseHeaderTimeout and MaxResponseHeaderBytes, with its
// defaults. Who has to wait for a connection waits until the context ends.
func New(addr string, like *http.Transport) *Transport {
	t := &Transport{addr: addr, dial: like.DialContext, wait: like.ResponseHeaderTimeout, header: like.MaxResponseHeaderBytes}
	if t.dial == nil {
		t.dial = new(net.Dialer).DialContext
	}
	if t.header <= 0 {
		t.header = 10 << 20
	}
	if like.MaxConnsPerHost > 0 {
		t.places = make(chan struct{}, like.MaxConnsPerHost)
	}
	t.pool = pool{most: like.MaxIdleConnsPerHost, keep: like.IdleConnTimeout}
	if t.pool.most == 0 {
		t.pool.most = http.DefaultMaxIdleConnsPerHost
	}
	return t
}

// CloseIdleConnections closes the connections that nobody uses.
func (t *Transport) CloseIdleConnections() { t.pool.close() }

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	ctx := req.Context()
	if t.enter(ctx) != nil {
		return nil, context.Cause(ctx)
	}
	defer func() {
		if resp == nil {
			t.leave() // else the answer does
		}
	}()
	if resp, err = t.ask(ctx, req); err == nil {
		return resp, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, fmt.Errorf("proxy/direct: %w", err)
}

// ask sends a request on a connection that is open, or on a new one.
func (t *Transport) ask(ctx context.Context, req *http.Request) (*http.Response, error) {
	if c := t.pool.get(); c != nil {
		resp, err := c.exchange(ctx, req)
		if err == nil || c.came || ctx.Err() != nil || errors.Is(err, errInvalid) || errors.Is(err, os.ErrDeadlineExceeded) {
			return resp, err
		}
		// The server closed it before it saw the request, as far as can be told,
		// and to send this one twice does no harm. Other connections may have gone
		// the same way, so a new one is made.
	}
	nc, err := t.dial(ctx, "tcp", t.addr)
	if err != nil {
		return nil, err
	}
	return newConn(t, nc).exchange(ctx, req)
}

// enter waits for a place, and leave gives it back.
func (t *Transport) enter(ctx context.Context) error {
	if t.places == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	select {
	case t.places <- struct{}{}:
		return nil
	default:
	}
	select {
	case t.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *Transport) leave() {
	if t.places != nil {
		<-t.places
	}
}

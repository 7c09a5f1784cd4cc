package stanchhttp

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/stanch-go/stanch"
)

// hold keeps what the attempt holds until the body of its answer is done with,
// and ends own then, which may be nil. It reports whether there is anything to
// wait for. Somebody who forgets to close a body keeps the place only until its
// context has ended: it cannot be read any more.
func (x *exchange) hold(ctx context.Context, own canceler) bool {
	resp := x.resp
	if bodyless(x.req.Method, resp) {
		return false
	}
	b := &body{ReadCloser: resp.Body, own: own}
	writer, writes := resp.Body.(io.Writer)
	upgrade := writes && resp.StatusCode == http.StatusSwitchingProtocols
	var life context.Context
	switch {
	case x.t.options.Owned || upgrade: // closed for certain, or without a time limit
	case x.t.options.Streams:
		life = x.life()
	default:
		life = ctx
	}
	if x.t.options.Streams {
		b.held.HoldOpen(ctx, life)
	} else {
		b.held.Hold(ctx, life)
	}
	if resp.Body = b; upgrade {
		resp.Body = &upgraded{b, writer}
	}
	return true
}

// bodyless reports whether nothing can come after the header.
func bodyless(method string, resp *http.Response) bool {
	return resp.Body == http.NoBody || method == http.MethodHead ||
		resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified
}

// body is the body of an answer that the caller gets.
type body struct {
	io.ReadCloser
	held stanch.Held
	own  canceler // of the attempt's own context, nil if it has none
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.done()
	}
	return n, err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.done()
	return err
}

// done may be called again.
func (b *body) done() {
	b.held.Release()
	if b.own != nil {
		b.own.Cancel()
	}
}

// upgraded is the connection after 101 Switching Protocols. Its end of reading
// is not the end of it.
type upgraded struct {
	*body
	io.Writer
}

func (u *upgraded) Read(p []byte) (int, error) { return u.ReadCloser.Read(p) }

// CloseWrite closes the half that is written, as net/http's own body does.
func (u *upgraded) CloseWrite() error {
	if half, ok := u.ReadCloser.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return fmt.Errorf("stanchhttp: CloseWrite: %w", http.ErrNotSupported)
}

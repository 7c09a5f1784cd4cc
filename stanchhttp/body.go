package stanchhttp

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/stanch-go/stanch"
)

// hold keeps what the attempt holds until the body of its answer is done with,
// and calls stop then. It reports whether there is anything to wait for.
func (x *exchange) hold(ctx context.Context, stop context.CancelFunc) bool {
	resp := x.resp
	if bodyless(x.req.Method, resp) {
		return false
	}
	hold, life := stanch.Hold, ctx
	if x.t.options.Streams {
		hold, life = stanch.HoldOpen, x.life()
	}
	b := body{ReadCloser: resp.Body, release: hold(ctx), stop: stop}
	if writer, ok := resp.Body.(io.Writer); ok && resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body = &upgraded{b, writer}
		return true
	}
	if !x.t.options.Owned {
		// A body whose context has ended cannot be read. Somebody who forgot to
		// close it must not keep the place in the bulkhead for ever.
		b.forget = context.AfterFunc(life, b.release)
	}
	resp.Body = &b
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
	release, stop func()      // both may be called again; stop may be nil
	forget        func() bool // unregisters release from the context; nil if it is not
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

func (b *body) done() {
	if b.forget != nil {
		b.forget()
	}
	b.release()
	if b.stop != nil {
		b.stop()
	}
}

// upgraded is the connection after 101 Switching Protocols. Its end of reading
// is not the end of it.
type upgraded struct {
	body
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

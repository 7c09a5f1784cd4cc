package direct

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// A Body is that of an answer. Close may be called at any time, also while Read
// waits.
type Body struct {
	conn  *conn
	ctx   context.Context
	src   io.Reader
	keep  bool        // the connection, at the end
	stop  func() bool // takes the conn's callback off the context
	state atomic.Int32
}

const (
	reading = iota
	ended   // by Read, with io.EOF
	broken  // by anything else
)

// SetPause bounds the time for which the server may say nothing while somebody
// reads. It may be a thirtieth more. It must be called before the first Read.
func (b *Body) SetPause(d time.Duration) { b.conn.pause = d }

func (b *Body) Read(p []byte) (int, error) {
	switch b.state.Load() {
	case ended:
		return 0, io.EOF
	case broken:
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.src.Read(p)
	switch {
	case err == nil:
	case err == io.EOF:
		if b.state.CompareAndSwap(reading, ended) {
			b.conn.end(b.keep, b.stop)
		}
	case b.state.CompareAndSwap(reading, broken):
		b.conn.end(false, b.stop)
		if b.ctx.Err() != nil {
			err = context.Cause(b.ctx)
		}
	default:
		err = http.ErrBodyReadAfterClose
	}
	return n, err
}

// Close closes the connection, unless the body has been read to its end.
func (b *Body) Close() error {
	if !b.state.CompareAndSwap(reading, broken) {
		return nil
	}
	b.stop()
	b.conn.gone()
	b.conn.t.leave()
	return nil
}

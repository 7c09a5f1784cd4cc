package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// errPause ends a body that said nothing for too long.
var errPause = errors.New("proxy: the answer paused for too long")

// watch bounds the pauses of an answer's body. end ends the attempt.
func watch(resp *http.Response, pause time.Duration, end context.CancelCauseFunc) {
	if resp.Body == nil || resp.Body == http.NoBody {
		return
	}
	b := &watched{ReadCloser: resp.Body, pause: pause, end: end}
	conn, ok := resp.Body.(io.ReadWriteCloser)
	if ok && resp.StatusCode == http.StatusSwitchingProtocols {
		b.timer = time.AfterFunc(pause, func() { conn.Close() })
		resp.Body = &watchedConn{b, conn}
		return
	}
	b.timer = time.AfterFunc(pause, func() { end(errPause) })
	b.timer.Stop()
	resp.Body = b
}

// watched is the body of an answer. The time that its reader takes in between
// does not count.
type watched struct {
	io.ReadCloser
	pause time.Duration
	timer *time.Timer
	end   context.CancelCauseFunc
}

func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.pause)
	n, err := w.ReadCloser.Read(p)
	w.timer.Stop()
	if err != nil {
		w.end(nil)
	}
	return n, err
}

func (w *watched) Close() error {
	w.timer.Stop()
	err := w.ReadCloser.Close()
	w.end(nil)
	return err
}

// watchedConn is a connection after 101 Switching Protocols. A pause is one in
// both directions.
type watchedConn struct {
	*watched
	conn io.ReadWriteCloser
}

func (w *watchedConn) Read(p []byte) (int, error) {
	n, err := w.conn.Read(p)
	w.timer.Reset(w.pause)
	return n, err
}

func (w *watchedConn) Write(p []byte) (int, error) {
	w.timer.Reset(w.pause)
	return w.conn.Write(p)
}

// CloseWrite closes the half that is written.
func (w *watchedConn) CloseWrite() error {
	if half, ok := w.conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return fmt.Errorf("proxy: CloseWrite: %w", http.ErrNotSupported)
}

package proxy

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/stanch-go/stanch/proxy/direct"
)

// watch closes an answer's body that says nothing for too long, also while it is
// being read.
func watch(resp *http.Response, pause time.Duration) {
	if resp.Body == nil || resp.Body == http.NoBody {
		return
	}
	if b, ok := resp.Body.(*direct.Body); ok {
		b.SetPause(pause)
		return
	}
	body := resp.Body
	b := &watched{ReadCloser: body, pause: pause, timer: time.AfterFunc(pause, func() { body.Close() })}
	conn, ok := body.(io.ReadWriteCloser)
	if ok && resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body = &watchedConn{b, conn}
		return
	}
	b.timer.Stop()
	resp.Body = b
}

// watched is the body of an answer. The time that its reader takes in between
// does not count.
type watched struct {
	io.ReadCloser
	pause time.Duration
	timer *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	w.timer.Reset(w.pause)
	n, err := w.ReadCloser.Read(p)
	w.timer.Stop()
	return n, err
}

func (w *watched) Close() error {
	w.timer.Stop()
	return w.ReadCloser.Close()
}

// watchedConn is a connection after 101 Switching Protocols. A pause is one in
// both directions.
type watchedConn struct {
	*watched
	conn io.ReadWriteCloser
}

func (w *watchedConn) Read(p []byte) (int, error) {
	n, err := w.conn.Read(p)
	if err == nil {
		w.timer.Reset(w.pause)
	}
	return n, err
}

func (w *watchedConn) Write(p []byte) (int, error) {
	n, err := w.conn.Write(p)
	if err == nil {
		w.timer.Reset(w.pause)
	}
	return n, err
}

// CloseWrite closes the half that is written.
func (w *watchedConn) CloseWrite() error {
	if half, ok := w.conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return fmt.Errorf("proxy: CloseWrite: %w", http.ErrNotSupported)
}

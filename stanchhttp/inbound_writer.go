package stanchhttp

import (
	"bufio"
	"io"
	"net"
	"net/http"
)

// A writer sees the status of an answer, and adds to its header.
type writer struct {
	http.ResponseWriter
	s *served
}

// A flusher is a writer that can flush, and a full one can also be hijacked and
// be read from: a handler that asks must hear what is true of the server's.
type (
	flusher struct{ writer }
	full    struct{ flusher }
)

// around returns a writer around the server's that can do the same.
func (s *served) around(w http.ResponseWriter) http.ResponseWriter {
	s.out.writer = writer{w, s}
	if _, ok := w.(http.Flusher); !ok {
		return &s.out.writer
	}
	if _, ok := w.(http.Hijacker); !ok {
		return &s.out.flusher
	}
	return &s.out
}

// begin is told the status before it is written. What comes before the status
// proper is none.
func (w *writer) begin(status int) {
	if w.s.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.s.announce()
		w.s.status = status
	}
}

func (w *writer) WriteHeader(status int) {
	w.begin(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(p []byte) (int, error) {
	w.begin(http.StatusOK)
	return w.ResponseWriter.Write(p)
}

func (w *writer) WriteString(s string) (int, error) {
	w.begin(http.StatusOK)
	return io.WriteString(w.ResponseWriter, s)
}

// Unwrap lets a http.ResponseController find what it needs.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *flusher) Flush() { w.FlushError() }

func (w *flusher) FlushError() error {
	w.begin(http.StatusOK)
	return http.NewResponseController(w.ResponseWriter).Flush()
}

func (w *full) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	c, rw, err := w.ResponseWriter.(http.Hijacker).Hijack()
	if err == nil {
		w.s.announce() // for those who write the header as it is
		w.s.hijacked = true
	}
	return c, rw, err
}

func (w *full) ReadFrom(r io.Reader) (int64, error) {
	w.begin(http.StatusOK)
	if from, ok := w.ResponseWriter.(io.ReaderFrom); ok {
		return from.ReadFrom(r)
	}
	return io.Copy(w.ResponseWriter, r)
}

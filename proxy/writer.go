package proxy

import (
	"net/http"
	"time"
)

// A writer bounds how long a client may take to read a piece of its answer.
type writer struct {
	http.ResponseWriter
	idle time.Duration
	set  time.Time // when the deadline was set
}

func (w *writer) WriteHeader(status int) {
	if status == http.StatusContinue {
		return // the server says it when the body is read, which begins now: the client would hear it twice
	}
	w.bound()
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(p []byte) (int, error) {
	w.bound()
	return w.ResponseWriter.Write(p)
}

// bound sets the deadline anew. One that was set just now will do: it has a bit
// more than it should for that.
func (w *writer) bound() {
	now := time.Now()
	more := w.idle / 32
	if now.Sub(w.set) < more {
		return
	}
	w.set = now
	http.NewResponseController(w.ResponseWriter).SetWriteDeadline(now.Add(w.idle + more)) // not known to all writers, which tests use
}

// Unwrap lets a http.ResponseController find what it needs.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

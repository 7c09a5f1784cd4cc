package proxy

import (
	"net/http"
	"time"
)

// A writer bounds how long a client may take to read a piece of its answer.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
	idle    time.Duration
}

func newWriter(w http.ResponseWriter, idle time.Duration) *writer {
	return &writer{w, http.NewResponseController(w), idle}
}

func (w *writer) WriteHeader(status int) {
	w.control.SetWriteDeadline(time.Now().Add(w.idle)) // not known to all writers, which tests use
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(p []byte) (int, error) {
	w.control.SetWriteDeadline(time.Now().Add(w.idle))
	return w.ResponseWriter.Write(p)
}

// Unwrap lets a http.ResponseController find what it needs.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

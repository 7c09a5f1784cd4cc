package e2e

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// serve starts a server for HTTP/1.1 and, without TLS, HTTP/2.
func serve(t testing.TB, handler http.Handler) string {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// A stalling dependency answers at once, or, while it stalls, not at all.
type stalling struct {
	answer string

	mu    sync.Mutex
	well  chan struct{} // closed while it is well
	asked int
}

func newStalling(answer string) *stalling {
	s := &stalling{answer: answer, well: make(chan struct{})}
	close(s.well)
	return s
}

// stall begins the incident, and recover ends it.
func (s *stalling) stall() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.well = make(chan struct{})
}

func (s *stalling) recover() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.well)
}

func (s *stalling) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (s *stalling) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked++
	well := s.well
	s.mu.Unlock()
	select {
	case <-well:
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write([]byte(s.answer))
}

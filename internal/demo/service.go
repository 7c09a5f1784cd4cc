package demo

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
)

// A page is what users come for: a list of articles, and where it comes from.
type page struct {
	Articles []string `json:"articles"`
	Source   string   `json:"source"`
}

// A service answers requests with a page, so many at once as it has workers.
// The others wait, all of them, as they do in most services.
type service struct {
	call    *call
	workers chan struct{}
	waiting atomic.Int64
}

func newService(workers int, c *call) *service {
	return &service{call: c, workers: make(chan struct{}, workers)}
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.begin(r.Context()) {
		return // the user has gone
	}
	defer func() { <-s.workers }()
	p, err := s.call.recommend()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	_ = json.NewEncoder(w).Encode(p) // it fails when the user has gone
}

// begin waits for a worker.
func (s *service) begin(ctx context.Context) bool {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	select {
	case s.workers <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

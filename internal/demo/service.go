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

// A recommender makes the call that the two services make differently.
type recommender interface {
	recommend(context.Context) (page, error)
	breaker() string // the state of the circuit breaker; empty without one
	close()
}

// A service answers requests with a page, so many at once as it has workers.
// The others wait, all of them, as they do in most services.
type service struct {
	recommender
	workers chan struct{}
	waiting atomic.Int64
}

func newService(workers int, r recommender) *service {
	return &service{recommender: r, workers: make(chan struct{}, workers)}
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.begin(r.Context()) {
		return // the user has gone
	}
	defer func() { <-s.workers }()
	p, err := s.recommend(r.Context())
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

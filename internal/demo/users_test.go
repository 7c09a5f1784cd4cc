package demo

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestUsers(t *testing.T) {
	hang := make(chan struct{})
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    Service
	}{
		{"live", answers(`{"source": "live"}`), Service{Live: 1}},
		{"degraded", answers(`{"source": "popular"}`), Service{Degraded: 1}},
		{"an error", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) }, Service{Failed: 1}},
		{"no page", answers(`sorry`), Service{Failed: 1}},
		{"patience", func(http.ResponseWriter, *http.Request) { <-hang }, Service{GaveUp: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(tt.handler)
			u := newTestUsers(server.URL, 200*time.Millisecond)
			u.come(t.Context(), time.Now())
			u.leave()
			if got := told(u.book); got != counts(tt.want) {
				t.Errorf("got %v, want %v", got, counts(tt.want))
			}
			if tt.want.GaveUp > 0 {
				close(hang)
			}
			server.Close()
		})
	}
}

// However many come, those who find no place are turned away.
func TestUsersAreBounded(t *testing.T) {
	hang := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	u := newTestUsers(server.URL, time.Minute)
	u.places = make(chan struct{}, 3)
	ctx, end := context.WithCancel(t.Context())
	for range 10 {
		u.come(ctx, time.Now())
	}
	end()
	u.leave()
	if got := told(u.book); got != (counted{failed: 7, waiting: 3}) {
		t.Errorf("got %v, want 7 turned away and 3 who waited until the end", got)
	}
	close(hang)
	server.Close()
}

func newTestUsers(url string, patience time.Duration) *users {
	cfg := Config{Duration: time.Minute, Tick: time.Second, Rate: 1, Patience: patience}
	return newUsers(url, cfg, newBook(cfg, time.Now()))
}

func answers(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }
}

type counted [endings]int

func counts(s Service) counted {
	return counted{live: s.Live, degraded: s.Degraded, failed: s.Failed, gaveUp: s.GaveUp, waiting: s.Waiting}
}

func told(b *book) counted {
	var s Service
	b.tell(&s, time.Now())
	return counts(s)
}

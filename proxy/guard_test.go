package proxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/proxy"
)

// hang does not answer until the request is given up.
func hang(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestTimeout(t *testing.T) {
	s := one(t, "timeout: {attempt: 30ms}", hang)
	g := s.get("/")
	g.is(t, 504, "", "")
	var p map[string]any
	if err := json.Unmarshal([]byte(g.body), &p); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{"title": "Gateway Timeout", "status": 504.0, "reason": "timeout", "dependency": "shop", "attempts": 1.0} {
		if p[key] != want {
			t.Errorf("%s: %v, want %v", key, p[key], want)
		}
	}
	if d := s.shop(); d.Calls["timeout"] != 1 || d.Attempts["timeout"] != 1 || d.InFlight != 0 {
		t.Errorf("counted %+v", d)
	}
}

func TestUnreachable(t *testing.T) {
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	l.Close()
	s := start(t, fmt.Sprintf("dependencies: {shop: {url: %q, retry: {attempts: 3, base: 1ms}}}", "http://"+l.Addr().String()))
	g := s.do("POST", "/", "order") // which surely was not sent
	g.is(t, 502, "", "")
	if g.Header.Get("Stanch-Attempts") != "3" || strings.Contains(g.body, "refused") {
		t.Errorf("got %v %s", g.Header, g.body)
	}
}

func TestRefusals(t *testing.T) {
	block := make(chan struct{})
	defer close(block)
	slow := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			select {
			case <-block:
			case <-r.Context().Done():
			}
		case "/bad":
			w.WriteHeader(500)
		}
	}
	t.Run("breaker", func(t *testing.T) {
		s := one(t, "breaker: {consecutive: 2, cooldown: 2500ms}", slow)
		s.get("/bad").is(t, 500, "live", "")
		s.get("/bad").is(t, 500, "live", "")
		g := s.get("/")
		g.is(t, 503, "", "breaker_open")
		if g.Header.Get("Retry-After") != "3" || g.Header.Get("Stanch-Attempts") != "0" {
			t.Errorf("got %v", g.Header)
		}
		if d := s.shop(); d.Breaker != "open" || d.Refused["breaker_open"] != 1 || d.Latency.Count != 2 {
			t.Errorf("counted %+v", d)
		}
		e := s.Events().Since(0)
		if len(e) != 1 || e[0].Kind != proxy.KindTransition || e[0].From != "closed" || e[0].To != "open" || e[0].Dependency != "shop" {
			t.Errorf("events %+v", e)
		}
		s.Dependency("shop").Breaker().ForceClosedAt(clock.Real.Now())
		s.get("/").is(t, 200, "live", "")
	})
	t.Run("bulkhead", func(t *testing.T) {
		s := one(t, "bulkhead: {limit: 1}", slow)
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		req, _ := http.NewRequestWithContext(ctx, "GET", s.URL+"/shop/slow", nil)
		go client(t, "").Do(req)
		until(t, "the place is taken", func() bool { return s.shop().Bulkhead.InFlight == 1 })
		s.get("/").is(t, 503, "", "bulkhead_full")
		leave()
		until(t, "the place is free", func() bool { return s.shop().Bulkhead.InFlight == 0 })
		s.get("/").is(t, 200, "live", "")
		if d := s.shop(); d.Calls["caller-canceled"] != 1 || d.Attempts["error"] != 0 {
			t.Errorf("a client that leaves is not a failure: %+v", d)
		}
	})
	t.Run("queue", func(t *testing.T) {
		s := one(t, "bulkhead: {limit: 1, queue: 1, max_wait: 20ms}", slow)
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		req, _ := http.NewRequestWithContext(ctx, "GET", s.URL+"/shop/slow", nil)
		go client(t, "").Do(req)
		until(t, "the place is taken", func() bool { return s.shop().Bulkhead.InFlight == 1 })
		s.get("/").is(t, 503, "", "queue_timeout")
	})
	t.Run("deadline", func(t *testing.T) {
		s := one(t, "timeout: {useful: 50ms}", slow)
		s.get("/", "X-Envoy-Expected-Rq-Timeout-Ms", "20").is(t, 504, "", "deadline")
	})
}

// The client's time is the call's, in one header or the other, and what is left
// of it is handed on.
func TestDeadline(t *testing.T) {
	var told atomic.Value
	s := one(t, "timeout: {attempt: 10s}", func(w http.ResponseWriter, r *http.Request) {
		told.Store(r.Header.Get("X-Envoy-Expected-Rq-Timeout-Ms"))
		if r.URL.Path == "/slow" {
			hang(w, r)
		}
	})
	s.get("/").is(t, 200, "live", "")
	if told.Load() != "10000" && told.Load() != "9999" {
		t.Errorf("told %v of 10s", told.Load())
	}
	began := time.Now()
	s.get("/slow", "X-Envoy-Expected-Rq-Timeout-Ms", "50").is(t, 504, "", "")
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	if d := s.shop(); d.Calls["caller-deadline"] != 1 {
		t.Errorf("it was the caller's deadline: %v", d.Calls)
	}
}

func TestRetries(t *testing.T) {
	var asked atomic.Int64
	bodies := make(chan string, 10)
	s := one(t, "retry: {attempts: 3, base: 1ms}", func(w http.ResponseWriter, r *http.Request) {
		n := asked.Add(1)
		var b strings.Builder
		buf := make([]byte, 1000)
		for {
			k, err := r.Body.Read(buf)
			b.Write(buf[:k])
			if err != nil {
				break
			}
		}
		bodies <- b.String() + r.Header.Get("X-Envoy-Attempt-Count")
		if r.URL.Path == "/never" || n%3 != 0 {
			w.WriteHeader(503)
		}
	})
	for _, tt := range []struct {
		method, path, body string
		headers            []string
		status             int
		attempts           string
	}{
		{"GET", "/", "", nil, 200, "3"},
		{"GET", "/never", "", nil, 503, "3"},
		{"PUT", "/", "again", nil, 200, "3"},
		{"POST", "/", "once", nil, 503, "1"},
		{"POST", "/", "keyed", []string{"Idempotency-Key", "k"}, 200, "3"},
		{"GET", "/", "", []string{"X-Envoy-Attempt-Count", "2"}, 503, "1"}, // is a retry already
	} {
		asked.Store(0)
		g := s.do(tt.method, tt.path, tt.body, tt.headers...)
		g.is(t, tt.status, "live", "")
		if g.Header.Get("Stanch-Attempts") != tt.attempts {
			t.Errorf("%s %s %v: %s attempts, want %s", tt.method, tt.path, tt.headers, g.Header.Get("Stanch-Attempts"), tt.attempts)
		}
		for i := range asked.Load() {
			want := fmt.Sprint(tt.body, i+1)
			if tt.headers != nil && tt.body == "" {
				want = "2"
			}
			if b := <-bodies; b != want {
				t.Errorf("%s %s: body %q, want %q", tt.method, tt.path, b, want)
			}
		}
	}
}

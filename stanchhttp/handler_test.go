package stanchhttp_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/stanchhttp"
)

func TestHandler(t *testing.T) {
	for _, c := range []struct {
		name    string
		headers map[string]string
		left    time.Duration // 0: no deadline
		attempt int
		reports int
	}{
		{name: "nothing said"},
		{name: "time", headers: map[string]string{deadline.HeaderTimeout: "250"}, left: 250 * time.Millisecond},
		{name: "gRPC's time", headers: map[string]string{deadline.HeaderGRPCTimeout: "2S"}, left: 2 * time.Second},
		{name: "more than allowed", headers: map[string]string{deadline.HeaderTimeout: "3600000"}, left: 10 * time.Second},
		{name: "attempt", headers: map[string]string{deadline.HeaderAttempt: "2"}, attempt: 2},
		{name: "both", headers: map[string]string{deadline.HeaderTimeout: "1000", deadline.HeaderAttempt: "3"}, left: time.Second, attempt: 3},
		{name: "malformed time", headers: map[string]string{deadline.HeaderTimeout: "soon", deadline.HeaderAttempt: "2"}, attempt: 2, reports: 1},
		{name: "all malformed", headers: map[string]string{deadline.HeaderTimeout: "-1", deadline.HeaderAttempt: "0"}, reports: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var reports int
				var seen http.ResponseWriter
				h := stanchhttp.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					seen = w
					end, ok := r.Context().Deadline()
					if left := time.Until(end); ok != (c.left > 0) || ok && left != c.left {
						t.Errorf("%v left, %v, want %v", left, ok, c.left)
					}
					if n := deadline.AttemptOf(r.Context()); n != c.attempt {
						t.Errorf("attempt %d, want %d", n, c.attempt)
					}
					if c.left > 0 {
						time.Sleep(c.left)
						if r.Context().Err() != context.DeadlineExceeded {
							t.Errorf("at the end: %v", r.Context().Err())
						}
					}
				}), 10*time.Second, func(error) { reports++ })
				r := httptest.NewRequest("GET", "/", nil)
				for k, v := range c.headers {
					r.Header.Set(k, v)
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				if reports != c.reports {
					t.Errorf("%d reports, want %d", reports, c.reports)
				}
				// go-zero#3083, #3225, #3388: a wrapper around the writer broke
				// flushing, server-sent events and websockets.
				if seen != http.ResponseWriter(w) {
					t.Errorf("the handler got another writer, %T", seen)
				}
			})
		})
	}
}

// Three services in a row, three attempts each, all of them failing: the tries
// add up and do not multiply.
func TestLayersDoNotMultiplyTries(t *testing.T) {
	calls := map[string]int{}
	layer := func(name, next string) http.HandlerFunc {
		d := guard(t)
		var client *http.Client
		if next != "" {
			client = stanchhttp.NewClient(d, stanchhttp.ClientConfig{})
		}
		return func(w http.ResponseWriter, r *http.Request) {
			calls[name]++
			if next != "" {
				resp, err := client.Do(newRequest(t, r.Context(), "GET", next, nil))
				if err != nil {
					t.Error(err)
					return
				}
				readAll(t, resp)
			}
			w.WriteHeader(503)
		}
	}
	c := httptest.NewServer(stanchhttp.Handler(layer("c", ""), 0))
	defer c.Close()
	b := httptest.NewServer(stanchhttp.Handler(layer("b", c.URL), 0))
	defer b.Close()
	a := httptest.NewServer(stanchhttp.Handler(layer("a", b.URL), 0))
	defer a.Close()
	resp, err := stanchhttp.NewClient(guard(t), stanchhttp.ClientConfig{}).Get(a.URL)
	if err != nil {
		t.Fatal(err)
	}
	readAll(t, resp)
	if calls["a"] != 3 || calls["b"] != 5 || calls["c"] != 7 {
		t.Errorf("%v, want 3, 5 and 7 instead of 3, 9 and 27", calls)
	}
}

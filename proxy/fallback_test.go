package proxy_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
)

// shaky answers until it is told to fail.
type shaky struct {
	down   atomic.Bool
	answer func(w http.ResponseWriter, r *http.Request)
}

func (s *shaky) serve(w http.ResponseWriter, r *http.Request) {
	if s.down.Load() {
		w.WriteHeader(503)
		return
	}
	s.answer(w, r)
}

func TestLastGood(t *testing.T) {
	for _, tt := range []struct {
		name    string
		policy  string
		first   []string // headers of the request that is answered
		answer  []string // headers of the answer
		second  []string // headers of the same request in the incident
		method  string   // of the second, GET if empty
		given   bool
		settles int // status of the first, 200 if 0
	}{
		{name: "plain", given: true},
		{name: "HEAD of it", method: "HEAD", given: true},
		{name: "POST", method: "POST"},
		{name: "no-store", answer: []string{"Cache-Control", "max-age=1, No-Store"}},
		{name: "no-store asked for", first: []string{"Cache-Control", "no-store"}},
		{name: "private", answer: []string{"Cache-Control", "private, max-age=60"}},
		{name: "private, told", policy: "private: true", answer: []string{"Cache-Control", "private"}, given: true},
		{name: "no-store, told", policy: "private: true", answer: []string{"Cache-Control", "no-store"}},
		{name: "a cookie is set", answer: []string{"Set-Cookie", "a=b"}},
		{name: "for a user", first: []string{"Authorization", "Bearer a"}, second: []string{"Authorization", "Bearer a"}},
		{name: "for a session", first: []string{"Cookie", "a"}, second: []string{"Cookie", "a"}},
		{name: "without a user, asked by one", second: []string{"Authorization", "Bearer a"}},
		{name: "for a user, told", policy: "private: true", first: []string{"Authorization", "Bearer a"}, second: []string{"Authorization", "Bearer a"}, given: true},
		{name: "for another user, told", policy: "private: true", first: []string{"Authorization", "Bearer a"}, second: []string{"Authorization", "Bearer b"}},
		{name: "for a user, asked by none", policy: "private: true", first: []string{"Authorization", "Bearer a"}},
		{name: "varies, the same", first: []string{"Accept-Language", "de"}, answer: []string{"Vary", "accept-language"}, second: []string{"Accept-Language", "de"}, given: true},
		{name: "varies, another", first: []string{"Accept-Language", "de"}, answer: []string{"Vary", "accept-language"}, second: []string{"Accept-Language", "en"}},
		{name: "varies with everything", answer: []string{"Vary", "*"}},
		{name: "not good", settles: 404},
		{name: "too large", answer: []string{"X-Size", "2000000"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dep := &shaky{answer: func(w http.ResponseWriter, r *http.Request) {
				for i := 0; i < len(tt.answer); i += 2 {
					w.Header().Set(tt.answer[i], tt.answer[i+1])
				}
				w.Header().Set("Age", "100")
				if tt.settles != 0 {
					w.WriteHeader(tt.settles)
				}
				fmt.Fprint(w, "good")
				if size := w.Header().Get("X-Size"); size != "" {
					w.Write(make([]byte, 2_000_000))
				}
			}}
			s := one(t, fmt.Sprintf("fallback: {last_good: {%s}}", tt.policy), dep.serve)
			want := 200
			if tt.settles != 0 {
				want = tt.settles
			}
			s.get("/x?y", tt.first...).is(t, want, "live", "")
			dep.down.Store(true)
			method := tt.method
			if method == "" {
				method = "GET"
			}
			g := s.do(method, "/x?y", "", tt.second...)
			if !tt.given {
				g.is(t, 503, "live", "")
				return
			}
			g.is(t, 200, "last_good", "")
			if body := map[bool]string{false: "good"}[method == "HEAD"]; g.body != body || g.Header.Get("Age") != "100" || g.ContentLength != 4 || g.Header.Get("Set-Cookie") != "" {
				t.Errorf("got %q %v", g.body, g.Header)
			}
			s.get("/x", tt.second...).is(t, 503, "live", "") // of another request nothing is known
			if d := s.shop(); d.Degraded["last_good"] != 1 || d.Kept != 1 || d.KeptBytes < 500 {
				t.Errorf("counted %+v", d)
			}
		})
	}
}

func TestOtherFallbacks(t *testing.T) {
	for _, tt := range []struct {
		policy, method string
		status         int
		source, body   string
	}{
		{`static: {body: '{"items": []}', content_type: application/json, status: 203}`, "GET", 203, "static", `{"items": []}`},
		{`static: {body: 'sorry', status: 503}`, "POST", 503, "static", "sorry"},
		{`empty: array`, "GET", 200, "empty", "[]"},
		{`empty: object`, "HEAD", 200, "empty", ""},
		{`empty: text`, "GET", 200, "empty", `""`},
		{`empty: array`, "POST", 500, "live", "down"}, // would say that something was done
		{`hidden: true`, "GET", 204, "hidden", ""},
		{`hidden: true`, "DELETE", 500, "live", "down"},
		{`last_good: {}, empty: object`, "GET", 200, "empty", "{}"},
	} {
		s := one(t, "breaker: {consecutive: 1, cooldown: 1m}, fallback: {"+tt.policy+"}", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			fmt.Fprint(w, "down")
		})
		g := s.do(tt.method, "/", "")
		g.is(t, tt.status, tt.source, "")
		if g.body != tt.body {
			t.Errorf("%s: body %q", tt.policy, g.body)
		}
		if tt.source == "live" {
			continue
		}
		g = s.do(tt.method, "/", "") // not asked now
		g.is(t, tt.status, tt.source, "breaker_open")
		if g.Header.Get("Stanch-Attempts") != "0" {
			t.Errorf("%s: %v", tt.policy, g.Header)
		}
	}
}

// A proper answer is not replaced, and a client that does not want a page but a
// protocol gets the truth.
func TestNoFallback(t *testing.T) {
	s := one(t, "fallback: {static: {body: sorry}}", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/404" {
			w.WriteHeader(404)
			return
		}
		w.WriteHeader(503)
	})
	s.get("/404").is(t, 404, "live", "")
	s.get("/", "Connection", "Upgrade", "Upgrade", "loud").is(t, 503, "live", "")
	if g := call(t, s, "/"); g.Header.Get("Stanch-Source") != "live" {
		t.Errorf("gRPC: %v", g.Header)
	}
}

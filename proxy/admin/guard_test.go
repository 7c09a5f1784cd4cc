package admin_test

import (
	"net/http"
	"strings"
	"testing"
)

// DNS rebinding: a page of evil.example, whose name now leads to 127.0.0.1, is of
// the same origin as this listener, as far as the browser knows. What gives it
// away is the name in Host.
func TestHosts(t *testing.T) {
	s := start(t, everything)
	for host, ok := range map[string]bool{
		"localhost": true, "localhost:15000": true, "LOCALHOST:1": true, "127.0.0.1": true, "127.0.0.1:15000": true, "127.9.9.9": true,
		"[::1]": true, "[::1]:15000": true, "[::ffff:127.0.0.1]:1": true,
		"": false, "evil.example": false, "evil.example:15000": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"10.0.0.1": false, "0.0.0.0": false, "[::]": false, "192.168.1.1:15000": false, "127.0.0.1@evil.example": false, "2130706433": false,
	} {
		for _, path := range []string{"/", "/status", "/metrics", "/policy", "/healthz"} {
			want := http.StatusOK
			if !ok {
				want = http.StatusForbidden
			}
			if w := s.ask("GET", path, "", "Host", host); w.Code != want {
				t.Errorf("%q: %s: %d, want %d", host, path, w.Code, want)
			}
		}
	}
}

// Cross-site request forgery: a page that is open in a browser on this machine
// must not force a breaker.
func TestOrigins(t *testing.T) {
	for _, c := range []struct {
		name    string
		headers []string
		ok      bool
	}{
		{"curl", nil, true},
		{"the page", []string{"Sec-Fetch-Site", "same-origin", "Origin", "http://localhost:15000"}, true},
		{"an old browser, the page", []string{"Origin", "http://localhost:15000"}, true},
		{"another page", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, false},
		{"another port", []string{"Sec-Fetch-Site", "same-site", "Origin", "http://localhost:8080"}, false},
		{"an old browser, another page", []string{"Origin", "https://evil.example"}, false},
		{"an old browser, another port", []string{"Origin", "http://localhost:8080"}, false},
		{"a sandboxed page", []string{"Origin", "null"}, false},
	} {
		s := start(t, everything)
		for method, path := range map[string]string{"POST": "/breaker/shop", "DELETE": "/faults/shop"} {
			w := s.ask(method, path, "state=open", c.headers...)
			if (w.Code == 200) != c.ok || !c.ok && w.Code != 403 {
				t.Errorf("%s: %s: %d", c.name, method, w.Code)
			}
			if w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Error("another origin may read the answer")
			}
		}
		if got := s.Dependency("shop").Breaker().StateAt(0).String(); (got == "forced-open") != c.ok {
			t.Errorf("%s: the breaker is %s", c.name, got)
		}
		if w := s.ask("OPTIONS", "/breaker/shop", "", append(c.headers, "Access-Control-Request-Method", "POST")...); w.Code < 400 {
			t.Errorf("%s: a preflight is answered with %d", c.name, w.Code)
		}
	}
}

func TestHeaders(t *testing.T) {
	s := start(t, everything)
	h := s.ask("GET", "/", "").Header()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	csp := h.Get("Content-Security-Policy")
	if !strings.HasPrefix(csp, "default-src 'none'; ") || strings.Contains(csp, "unsafe") || !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Error(csp)
	}
}

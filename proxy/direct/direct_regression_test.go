package direct_test

import (
	"net/http"
	"strings"
	"testing"
)

// A connection on which something came while nobody had asked once gave that to
// whoever asked next: response splitting, when a server sends a part of one
// answer as an answer of its own.
func TestUnsolicitedAnswerIsNobodys(t *testing.T) {
	sent := make(chan struct{})
	s := serve(t, func(c *peer, n int) {
		c.next()
		c.say(ok)
		if n == 0 {
			<-sent
			c.say("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
			sent <- struct{}{}
		}
		c.next()
	})
	c := s.client()
	if _, body, err := s.get(c, "GET"); err != nil || body != "ok" {
		t.Fatalf("%q, %v", body, err)
	}
	sent <- struct{}{}
	<-sent // it is on its way, on loopback: there
	if _, body, err := s.get(c, "GET"); err != nil || body != "ok" {
		t.Errorf("%q, %v", body, err)
	}
	if n := s.connections(); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
}

// A server that closes idle connections once cost a request each time.
func TestConnectionThatWasClosedMeanwhile(t *testing.T) {
	done := make(chan struct{}, 2)
	s := serve(t, func(c *peer, _ int) {
		c.next()
		c.say(ok)
		c.Close()
		done <- struct{}{}
	})
	c := s.client()
	for n := range 2 {
		if _, body, err := s.get(c, "GET"); err != nil || body != "ok" {
			t.Fatalf("%q, %v", body, err)
		}
		<-done
		if got := s.requests(); got != n+1 {
			t.Errorf("%d requests, want %d", got, n+1)
		}
	}
}

// The server closes at the moment at which it is asked: once more, on a new
// connection, and not a third time.
func TestConnectionThatIsClosedWhenItIsUsed(t *testing.T) {
	for name, second := range map[string]string{"answered": ok, "closed again": ""} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(c *peer, n int) {
				c.next()
				if n == 0 {
					c.say(ok)
					c.next()
					return
				}
				c.say(second)
			})
			c := s.client()
			if _, _, err := s.get(c, "GET"); err != nil {
				t.Fatal(err)
			}
			_, body, err := s.get(c, "GET")
			if (err == nil) != (second != "") || second != "" && body != "ok" {
				t.Errorf("%q, %v", body, err)
			}
			if n := s.requests(); n != 3 {
				t.Errorf("%d requests, want 3", n)
			}
		})
	}
}

// A connection that breaks within an answer is not asked again: who knows what
// the first answer would have been.
func TestBrokenWithinAnAnswer(t *testing.T) {
	s := serve(t, func(c *peer, n int) {
		c.next()
		c.say(ok)
		c.next()
		c.say("HTTP/1.1 200")
	})
	c := s.client()
	s.get(c, "GET")
	if _, body, err := s.get(c, "GET"); err == nil {
		t.Errorf("%q", body)
	}
	if n := s.requests(); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

// What a client writes must not become a header, or a request, of its own.
func TestInjection(t *testing.T) {
	for name, change := range map[string]func(*http.Request){
		"value":  func(r *http.Request) { r.Header["X"] = []string{"a\r\nY: b"} },
		"feed":   func(r *http.Request) { r.Header["X"] = []string{"a\nY: b"} },
		"return": func(r *http.Request) { r.Header["X"] = []string{"a\rY: b"} },
		"zero":   func(r *http.Request) { r.Header["X"] = []string{"a\x00"} },
		"agent":  func(r *http.Request) { r.Header["User-Agent"] = []string{"a\r\nY: b"} },
		"name":   func(r *http.Request) { r.Header["X: a\r\nY"] = []string{"b"} },
		"space":  func(r *http.Request) { r.Header["X Y"] = []string{"b"} },
		"colon":  func(r *http.Request) { r.Header["X:"] = []string{"b"} },
		"empty":  func(r *http.Request) { r.Header[""] = []string{"b"} },
		"host":   func(r *http.Request) { r.Host = "a\r\nY: b" },
		"path":   func(r *http.Request) { r.Host = "a/b" },
		"query":  func(r *http.Request) { r.URL.RawQuery = "a HTTP/1.1\r\nY: b" },
		"blank":  func(r *http.Request) { r.URL.RawQuery = "a HTTP/1.1" },
		"method": func(r *http.Request) { r.Method = "GET / HTTP/1.1\r\nY: b\r\n\r\nGET" },
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, always(ok))
			req := s.request(t.Context(), "GET")
			change(req)
			if _, _, err := get(s.client(), req); err == nil {
				t.Errorf("sent: %q", s.heads)
			}
			if n := s.requests(); n != 0 {
				t.Errorf("sent: %q", s.heads)
			}
		})
	}
	s := serve(t, always(ok))
	req := s.request(t.Context(), "GET")
	req.URL.Path, req.URL.RawPath = "/a b\r\nc", ""
	if _, _, err := get(s.client(), req); err != nil || !strings.HasPrefix(s.heads[0], "GET /a%20b%0D%0Ac?b=c HTTP/1.1\r\n") {
		t.Errorf("%q, %v", s.heads, err)
	}
}

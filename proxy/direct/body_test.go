package direct_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stanch-go/stanch/proxy/direct"
)

// A body that is left before its end takes the connection with it; to close it
// again, or after its end, does nothing.
func TestClose(t *testing.T) {
	s := serve(t, always("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789"))
	c := s.client(func(l *http.Transport) { l.MaxConnsPerHost = 1 })
	for n := range 3 {
		resp, err := c.RoundTrip(s.request(t.Context(), "GET"))
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(resp.Body, make([]byte, 3))
		resp.Body.Close()
		resp.Body.Close()
		if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Errorf("read after the end: %v", err)
		}
		if s.connections() != n+1 {
			t.Errorf("%d connections after %d bodies that were left", s.connections(), n+1)
		}
	}
	for range 3 {
		resp, err := c.RoundTrip(s.request(t.Context(), "GET"))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if n, err := resp.Body.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("read after the end: %d, %v", n, err)
		}
	}
	if n := s.connections(); n != 4 {
		t.Errorf("%d connections, want 4", n)
	}
}

// Close ends a Read that waits.
func TestCloseWhileReading(t *testing.T) {
	closed := make(chan bool, 1)
	s := serve(t, func(c *peer, _ int) {
		c.next()
		c.say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
		closed <- c.gone()
	})
	resp, err := s.client().RoundTrip(s.request(t.Context(), "GET"))
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*ms, func() { resp.Body.Close() })
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("no error")
	}
	if !<-closed {
		t.Error("the connection is still open")
	}
}

// A pause that is too long ends the body; one that is allowed does not, however
// long all of it takes, and the next answer on the connection has its own.
func TestPause(t *testing.T) {
	s := serve(t, func(c *peer, _ int) {
		for n := 0; c.next(); n++ {
			c.say("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")
			for range 8 {
				<-time.After(40 * ms)
				c.say("x")
			}
			if n == 1 {
				c.next()
				c.say("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n")
				c.gone()
			}
		}
	})
	c := s.client()
	ask := func(pause time.Duration) (string, error) {
		resp, err := c.RoundTrip(s.request(t.Context(), "GET"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		resp.Body.(*direct.Body).SetPause(pause)
		body, err := io.ReadAll(resp.Body)
		return string(body), err
	}
	for range 2 {
		if body, err := ask(250 * ms); len(body) != 8 || err != nil {
			t.Errorf("%q, %v", body, err)
		}
	}
	<-time.After(400 * ms) // the deadline of the last read is over
	if body, err := ask(50 * ms); body != "" || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%q, %v", body, err)
	}
	if n := s.connections(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// An answer that has come in full is one, though its reader left at that moment;
// the connection is not used again.
func TestContextThatEndsBeforeTheBodyIsRead(t *testing.T) {
	s := serve(t, always(ok))
	c := s.client()
	ctx, cancel := context.WithCancel(t.Context())
	resp, err := c.RoundTrip(s.request(ctx, "GET"))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	io.Copy(io.Discard, resp.Body)
	if _, body, err := s.get(c, "GET"); err != nil || body != "ok" {
		t.Errorf("%q, %v", body, err)
	}
	if n := s.connections(); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
}

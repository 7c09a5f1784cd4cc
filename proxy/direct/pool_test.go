package direct_test

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"
)

// together lets so many requests have an answer at once, on a connection each.
func together(s *server, rt http.RoundTripper, n int) {
	s.t.Helper()
	var open []*http.Response
	for range n {
		resp, err := rt.RoundTrip(s.request(s.t.Context(), "GET"))
		if err != nil {
			s.t.Fatal(err)
		}
		open = append(open, resp)
	}
	for _, resp := range open {
		finish(resp)
	}
}

// finish reads a body to its end, and does not close it.
func finish(resp *http.Response) { io.Copy(io.Discard, resp.Body) }

// counted tells of connections that the client has closed.
func counted(closed chan<- int) talk {
	return func(c *peer, n int) {
		for c.next() {
			c.say(ok)
		}
		closed <- n
	}
}

func TestMostIdle(t *testing.T) {
	closed := make(chan int, 10)
	s := serve(t, counted(closed))
	c := s.client(func(l *http.Transport) { l.MaxIdleConnsPerHost = 2 })
	together(s, c, 3)
	if n := <-closed; n != 2 {
		t.Errorf("connection %d was closed, want the one that was too much", n)
	}
	together(s, c, 3)
	if n := s.connections(); n != 4 {
		t.Errorf("%d connections, want 4: two were kept", n)
	}
}

// One timer serves all, also those that come while it runs.
func TestIdleTimeout(t *testing.T) {
	closed := make(chan int, 10)
	s := serve(t, counted(closed))
	c := s.client(func(l *http.Transport) { l.IdleConnTimeout = 100 * ms })
	late, err := c.RoundTrip(s.request(t.Context(), "GET"))
	if err != nil {
		t.Fatal(err)
	}
	together(s, c, 1)
	<-time.After(60 * ms)
	finish(late)
	for range 2 {
		select {
		case <-closed:
		case <-time.After(long):
			t.Fatal("still open")
		}
	}
	if _, body, err := s.get(c, "GET"); err != nil || body != "ok" {
		t.Errorf("%q, %v", body, err)
	}
}

func TestCloseIdleConnections(t *testing.T) {
	closed := make(chan int, 10)
	s := serve(t, counted(closed))
	c := s.client(func(l *http.Transport) { l.IdleConnTimeout = time.Hour })
	together(s, c, 2)
	resp, err := c.RoundTrip(s.request(t.Context(), "GET"))
	if err != nil {
		t.Fatal(err)
	}
	c.CloseIdleConnections()
	<-closed
	finish(resp) // which is closed too, though it was not idle then
	<-closed
	if _, body, err := s.get(c, "GET"); err != nil || body != "ok" {
		t.Errorf("%q, %v", body, err)
	}
	if n := s.connections(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

// All of it at once, for the race detector, with servers and clients that leave.
func TestManyAtOnce(t *testing.T) {
	s := serve(t, func(c *peer, n int) {
		for i := 0; c.next() && i < 7+n%5; i++ {
			c.say(ok)
		}
	})
	c := s.client(func(l *http.Transport) {
		l.MaxConnsPerHost, l.MaxIdleConnsPerHost, l.IdleConnTimeout = 8, 4, ms
	})
	var all sync.WaitGroup
	for g := range 16 {
		all.Go(func() {
			for i := range 100 {
				switch {
				case g == 0 && i%10 == 0:
					c.CloseIdleConnections()
				case i%7 == 0:
					if resp, err := c.RoundTrip(s.request(t.Context(), "GET")); err == nil {
						resp.Body.Close()
					}
				default:
					if _, body, err := s.get(c, "GET"); err == nil && body != "ok" {
						t.Errorf("%q", body)
					}
				}
			}
		})
	}
	all.Wait()
	if _, body, err := s.get(c, "GET"); err != nil || body != "ok" {
		t.Errorf("a place is lost: %q, %v", body, err)
	}
}

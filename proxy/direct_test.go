package proxy_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// What is simple goes directly, and all else as before: over connections of
// their own, which are kept, and closed when nothing will use them any more.
func TestDirectAndOtherConnections(t *testing.T) {
	var opened, closed atomic.Int32
	up := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
	}))
	up.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			opened.Add(1)
		case http.StateClosed:
			closed.Add(1)
		}
	}
	up.Start()
	defer up.Close()
	s := start(t, fmt.Sprintf("dependencies: {shop: {url: %q}}", up.URL))
	for _, tt := range []struct {
		method, body string
		headers      []string
		want         int32
	}{
		{"GET", "", nil, 1},
		{"HEAD", "", nil, 1},
		{"OPTIONS", "", nil, 1},
		{"POST", "x", nil, 2},
		{"DELETE", "", nil, 2},
		{"GET", "x", nil, 2},
		{"GET", "", []string{"Te", "trailers"}, 2},
		{"GET", "", nil, 2},
	} {
		s.do(tt.method, "/", tt.body, tt.headers...).is(t, 200, "live", "")
		if n := opened.Load(); n != tt.want {
			t.Errorf("%s %q: %d connections, want %d", tt.method, tt.body, n, tt.want)
		}
	}
	if _, err := s.Swap(parse(t, "listen: {egress: \""+s.Addr().String()+"\"}\ndependencies: {}")); err != nil {
		t.Fatal(err)
	}
	until(t, "both connections are closed", func() bool { return closed.Load() == 2 })
}

// A client that leaves takes the direct connection with it, before the header of
// the answer and within its body.
func TestDirectConnectionOfAClientThatLeft(t *testing.T) {
	var came, left atomic.Int32
	s := one(t, "", func(w http.ResponseWriter, r *http.Request) {
		came.Add(1)
		if r.URL.Path == "/body" {
			io.WriteString(w, "begun")
			http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
		left.Add(1)
	})
	for i, path := range []string{"/header", "/body"} {
		conn, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET /shop%s HTTP/1.1\r\nHost: x\r\n\r\n", path)
		if path == "/body" {
			io.ReadFull(conn, make([]byte, 1))
		} else {
			until(t, "it is asked", func() bool { return came.Load() == 1 }) // not earlier: it might not be asked then
		}
		conn.Close()
		until(t, "it has left", func() bool { return left.Load() == int32(i)+1 })
		until(t, "it is over", func() bool { return s.shop().InFlight == 0 })
	}
}

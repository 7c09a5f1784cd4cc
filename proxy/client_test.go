package proxy_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/proxy"
)

// sink takes all of a body, like a dependency that is well.
func sink(w http.ResponseWriter, r *http.Request) {
	n, _ := io.Copy(io.Discard, r.Body)
	fmt.Fprint(w, n)
}

// A client that stalls in its body is answered 408, and neither counts against
// the dependency nor, when the body is short, holds a place meanwhile.
func TestClientStalls(t *testing.T) {
	for _, tt := range []struct {
		name, request string
		attempts      uint64
	}{
		{"short body", "PUT /shop/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhel", 0},
		{"long body", "PUT /shop/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nhel", 1},
		{"chunks", "PUT /shop/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := one(t, "breaker: {consecutive: 1}, retry: {attempts: 3, base: 1ms}", sink, quick)
			answer := raw(t, s.Addr().String(), tt.request)
			if !strings.HasPrefix(answer, "HTTP/1.1 408 ") || !strings.Contains(answer, "Connection: close") {
				t.Errorf("answered %q", answer)
			}
			d := s.shop()
			if d.Breaker != "closed" || d.Attempts["excluded"] != tt.attempts || d.Attempts["error"]+d.Attempts["timeout"] != 0 {
				t.Errorf("the breaker is %s, attempts %v", d.Breaker, d.Attempts)
			}
		})
	}
}

// The attempt's time was up while the client, not the dependency, was slow.
func TestClientIsSlowerThanTheAttempt(t *testing.T) {
	s := one(t, "timeout: {attempt: 50ms}, breaker: {consecutive: 1}", sink)
	answer := raw(t, s.Addr().String(), "PUT /shop/ HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nhel")
	if !strings.HasPrefix(answer, "HTTP/1.1 408 ") {
		t.Errorf("answered %q", answer)
	}
	if d := s.shop(); d.Breaker != "closed" || d.Attempts["excluded"] != 1 {
		t.Errorf("the breaker is %s, attempts %v", d.Breaker, d.Attempts)
	}
}

// A dependency that does not take the body is slow, whoever sends it.
func TestDependencyDoesNotRead(t *testing.T) {
	over := make(chan struct{})
	s := one(t, "timeout: {attempt: 100ms}, breaker: {consecutive: 1}", func(http.ResponseWriter, *http.Request) { <-over })
	defer close(over) // it does not see that the client has gone
	req, _ := http.NewRequestWithContext(t.Context(), "PUT", s.URL+"/shop/", io.LimitReader(endless{}, 50<<20))
	req.ContentLength = 50 << 20
	resp, err := client(t, "").Do(req)
	if err == nil {
		resp.Body.Close()
	}
	until(t, "the breaker is open", func() bool { return s.shop().Breaker == "open" })
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestTooLarge(t *testing.T) {
	s := one(t, "http: {max_body: 100B}", sink)
	if g := s.do("POST", "/", strings.Repeat("x", 101)); g.StatusCode != 413 {
		t.Errorf("got %d", g.StatusCode)
	}
	if g := s.do("POST", "/", strings.Repeat("x", 100)); g.body != "100" {
		t.Errorf("got %d %q", g.StatusCode, g.body)
	}
	answer := raw(t, s.Addr().String(), "POST /shop/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n"+strings.Repeat("x", 0xfff)+"\r\n0\r\n\r\n")
	if !strings.HasPrefix(answer, "HTTP/1.1 413 ") {
		t.Errorf("chunks: %q", answer)
	}
	if n := s.shop().Attempts["error"]; n != 0 {
		t.Errorf("%d failures of the dependency", n)
	}
}

// A client that leaves frees its place at once, and has not made a failure.
func TestClientLeaves(t *testing.T) {
	began := make(chan bool, 1)
	s := one(t, "bulkhead: {limit: 1}, breaker: {consecutive: 1}, retry: {attempts: 3}", func(w http.ResponseWriter, r *http.Request) {
		began <- true
		hang(w, r)
	})
	ctx, leave := context.WithCancel(t.Context())
	req, _ := http.NewRequestWithContext(ctx, "GET", s.URL+"/shop/", nil)
	go client(t, "").Do(req)
	<-began
	leave()
	until(t, "it is over", func() bool { return s.shop().InFlight == 0 })
	if d := s.shop(); d.Bulkhead.InFlight != 0 || d.Breaker != "closed" || d.Calls["caller-canceled"] != 1 || d.Attempts["caller-canceled"] != 1 {
		t.Errorf("counted %+v", d)
	}
}

// More connections than there may be wait for one of the others to end.
func TestMostConnections(t *testing.T) {
	s := one(t, "", echo("shop"), func(o *proxy.Options) { o.MaxConns = 2 })
	var open []net.Conn
	for range 2 {
		conn, r := dial(t, s)
		fmt.Fprint(conn, "GET /shop/ HTTP/1.1\r\nHost: x\r\n\r\n")
		if resp, err := http.ReadResponse(r, nil); err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
		open = append(open, conn)
	}
	third, r := dial(t, s)
	fmt.Fprint(third, "GET /shop/ HTTP/1.1\r\nHost: x\r\n\r\n")
	third.SetReadDeadline(time.Now().Add(50 * ms))
	if _, err := r.Peek(1); err == nil {
		t.Error("the third connection was served")
	}
	if l := s.Status().Egress; l.Connections != 2 || l.Most != 2 {
		t.Errorf("listener %+v", l)
	}
	open[0].Close()
	third.SetReadDeadline(time.Now().Add(5 * time.Second))
	if resp, err := http.ReadResponse(r, nil); err != nil || resp.StatusCode != 200 {
		t.Error("after one has ended: ", resp, err)
	}
}

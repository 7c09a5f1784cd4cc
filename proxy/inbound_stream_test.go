package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/policy"
)

// A WebSocket comes through the ingress, beyond the time that requests have. It
// keeps its place until it ends, and its length says nothing of the load.
func TestInboundUpgrade(t *testing.T) {
	s, url := taking(t, "deadline: 40ms, limits: {all: {rate: 100}}, concurrency: {limit: 1}", upgrade("loud"))
	conn, err := net.Dial("tcp", url[len("http://"):])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	r := bufio.NewReader(conn)
	io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: loud\r\n\r\n")
	resp, err := http.ReadResponse(r, nil)
	if err != nil || resp.StatusCode != 101 || resp.Header.Get("RateLimit") == "" {
		t.Fatalf("%v %v", resp, err)
	}
	<-time.After(80 * ms)
	io.WriteString(conn, "hello\n")
	if line, err := r.ReadString('\n'); line != "HELLO\n" {
		t.Errorf("%q %v", line, err)
	}
	visit(t, url).is(t, 504, "", "deadline") // the only place is taken
	conn.Close()
	until(t, "the place is free", func() bool { return s.Status().Inbound.Stats.Shed.InFlight == 0 })
	if ended := s.Status().Inbound.Counts.Ended; ended["ignored"] != 1 {
		t.Errorf("%v", ended)
	}
}

// Events go on beyond the time that requests have.
func TestInboundEventStream(t *testing.T) {
	s, url := taking(t, "deadline: 40ms, concurrency: {limit: 1}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
			<-time.After(30 * ms)
		}
	})
	g := visit(t, url, "Accept", "text/event-stream")
	if g.is(t, 200, "live", ""); strings.Count(g.body, "data: ") != 3 {
		t.Errorf("%q", g.body)
	}
	until(t, "it has ended", func() bool { return s.Status().Inbound.Counts.Ended["ignored"] == 1 })
}

// gRPC has its own form of a refusal, and its failures count.
func TestInboundGRPC(t *testing.T) {
	s, url := taking(t, "limits: {all: {rate: 1, window: 1h}}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status")
		io.Copy(w, r.Body)
		w.Header().Set("Grpc-Status", "14")
	})
	ask := func() got {
		req, _ := http.NewRequestWithContext(t.Context(), "POST", url+"/Shop/Get", strings.NewReader("\x00\x00\x00\x00\x02hi"))
		req.Header.Set("Content-Type", "application/grpc")
		req.Header.Set("Te", "trailers")
		return read(t, h2(t), req)
	}
	if g := ask(); g.Trailer.Get("Grpc-Status") != "14" || g.Header.Get("RateLimit") == "" || g.Trailer.Get("RateLimit") != "" {
		t.Errorf("%v %v", g.Header, g.Trailer)
	}
	if ended := s.Status().Inbound.Counts.Ended; ended["failure"] != 1 {
		t.Errorf("%v", ended)
	}
	g := ask()
	if g.StatusCode != 200 || g.Header.Get("Grpc-Status") != "8" || g.Header.Get("Stanch-Refused") != "rate_limited" || g.Header.Get("Grpc-Retry-Pushback-Ms") == "" {
		t.Errorf("%d %v", g.StatusCode, g.Header)
	}
	if n := s.counted(inbound.Refused, "rate_limited", "all"); n != 1 {
		t.Errorf("%d refused", n)
	}
}

// Quotas on a store come, change, move and go with the policy; a policy that is
// refused changes none; nothing is left running.
func TestInboundQuotaReload(t *testing.T) {
	s, url := taking(t, `quotas: {all: {mode: leased, rate: 5, store: "redis://127.0.0.1:1", on_failure: open}}`, func(w http.ResponseWriter, r *http.Request) {})
	text := fmt.Sprintf("listen: {egress: \"127.0.0.1:0\", ingress: {address: \"127.0.0.1:0\", to: %q}}\nservice: {name: shop}\n", s.Policy().Effective().Listen.Ingress.To)
	for _, section := range []string{
		`inbound: {quotas: {all: {mode: leased, rate: 7, store: "redis://127.0.0.1:1", on_failure: open}}}`,
		`inbound: {quotas: {all: {mode: central, rate: 7, store: "redis://127.0.0.1:1", on_failure: open}, more: {mode: leased, rate: 1, store: "redis://127.0.0.1:2", on_failure: open}}}`,
		`inbound: {quotas: {all: {rate: 7}}}`,
		"",
		`inbound: {quotas: {all: {mode: central, rate: 7, store: "redis://127.0.0.1:1", on_failure: open}}}`,
	} {
		if changes, err := s.Swap(parse(t, text+section)); err != nil || len(changes) == 0 {
			t.Fatalf("%s: %v %v", section, changes, err)
		}
		visit(t, url).is(t, 200, "live", "")
	}
	bad := parse(t, text+`inbound: {quotas: {all: {rate: 1e-9, burst: 1}, new: {mode: central, rate: 7, store: "redis://127.0.0.1:1"}}}
dependencies: {mail: {url: "https://mail", tls: {ca: /nowhere}}}`)
	if _, err := s.Swap(bad); err == nil {
		t.Fatal("a policy without its files is in force")
	}
	for range 3 {
		visit(t, url).is(t, 200, "live", "")
	}
	for name, secret := range map[string]policy.StoreURL{"unix": "redis://user:secret@127.0.0.1:1?nosuch=option"} {
		_, err := policy.Parse("policy.yaml", fmt.Appendf(nil, "version: 1\n%sinbound: {quotas: {all: {mode: central, rate: 7, store: %q}}}", text, string(secret)))
		if err == nil {
			_, err = s.Swap(parse(t, text+fmt.Sprintf("inbound: {quotas: {all: {mode: central, rate: 7, store: %q}}}", string(secret))))
		}
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

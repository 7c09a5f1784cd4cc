package proxy_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// h2 is a client that speaks HTTP/2 without TLS, as gRPC's do.
func h2(t *testing.T) *http.Client {
	tr := &http.Transport{Protocols: new(http.Protocols)}
	tr.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second}
}

// call makes a gRPC call, with a message that is no protobuf.
func call(t *testing.T, s *sidecar, path string, headers ...string) got {
	t.Helper()
	req, _ := http.NewRequestWithContext(t.Context(), "POST", s.URL+path, strings.NewReader("\x00\x00\x00\x00\x02hi"))
	req.Host = "shop"
	req.Header.Set("Content-Type", "application/grpc+proto")
	req.Header.Set("Te", "trailers")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return read(t, h2(t), req)
}

func TestGRPC(t *testing.T) {
	var told atomic.Value
	s := one(t, "timeout: {attempt: 60ms}, bulkhead: {limit: 1}, breaker: {consecutive: 2, cooldown: 1m}", func(w http.ResponseWriter, r *http.Request) {
		told.Store([2]string{r.Header.Get("Grpc-Timeout"), r.Header.Get("X-Envoy-Expected-Rq-Timeout-Ms")})
		if r.ProtoMajor != 2 || r.Header.Get("Te") != "trailers" {
			t.Errorf("called by %s with %v", r.Proto, r.Header)
		}
		if r.URL.Path == "/hang" {
			hang(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/grpc")
		w.Header().Set("Trailer", "Grpc-Status, Grpc-Message")
		io.Copy(w, r.Body)
		w.Header().Set("Grpc-Status", "5")
		w.Header().Set("Grpc-Message", "not found")
	})
	g := call(t, s, "/Shop/Get", "Grpc-Timeout", "10S")
	if g.StatusCode != 200 || g.body != "\x00\x00\x00\x00\x02hi" || g.Trailer.Get("Grpc-Status") != "5" || g.Trailer.Get("Grpc-Message") != "not found" {
		t.Errorf("got %d %q %v", g.StatusCode, g.body, g.Trailer)
	}
	// The whole call has what is left of ten seconds, not the attempt's 60ms,
	// which are for the header.
	if said := told.Load().([2]string); !strings.HasPrefix(said[0], "99") || !strings.HasSuffix(said[0], "u") || said[1] != "" {
		t.Errorf("told %v of 10s", said)
	}
	for range 2 {
		g = call(t, s, "/hang")
		if g.StatusCode != 200 || g.Header.Get("Grpc-Status") != "4" || g.Header.Get("Content-Type") != "application/grpc" || g.body != "" {
			t.Errorf("got %d %v %q", g.StatusCode, g.Header, g.body)
		}
	}
	g = call(t, s, "/Shop/Get")
	if g.Header.Get("Grpc-Status") != "14" || g.Header.Get("Stanch-Refused") != "breaker_open" || g.Header.Get("Grpc-Retry-Pushback-Ms") == "" ||
		!strings.Contains(g.Header.Get("Grpc-Message"), "circuit breaker") {
		t.Errorf("got %d %v", g.StatusCode, g.Header)
	}
}

// A gRPC server tells of its failures with the status 200.
func TestGRPCFailures(t *testing.T) {
	for status, want := range map[string]string{"0": "closed", "5": "closed", "16": "closed", "14": "open", "13": "open", "2": "open"} {
		s := one(t, "breaker: {consecutive: 1, cooldown: 1m}", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/grpc")
			w.Header().Set("Grpc-Status", status)
		})
		if g := call(t, s, "/"); g.Header.Get("Grpc-Status") != status || g.Header.Get("Stanch-Source") != "live" {
			t.Errorf("status %s: %v", status, g.Header)
		}
		if got := s.shop().Breaker; got != want {
			t.Errorf("status %s: the breaker is %s", status, got)
		}
	}
}

// A call in both directions goes on for longer than the attempt, with an open
// request.
func TestGRPCStream(t *testing.T) {
	s := one(t, "timeout: {attempt: 100ms}", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		buf := make([]byte, 1)
		for {
			if _, err := r.Body.Read(buf); err != nil {
				w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
				return
			}
			w.Write(buf)
			w.(http.Flusher).Flush()
		}
	})
	pr, pw := io.Pipe()
	req, _ := http.NewRequestWithContext(t.Context(), "POST", s.URL+"/shop/Chat", pr)
	req.Header.Set("Content-Type", "application/grpc")
	resp, err := h2(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	<-time.After(150 * ms) // beyond the attempt's
	buf := make([]byte, 1)
	for _, c := range "abc" {
		pw.Write([]byte{byte(c)})
		if _, err := io.ReadFull(resp.Body, buf); err != nil || buf[0] != byte(c) {
			t.Fatalf("got %q, %v", buf, err)
		}
	}
	pw.Close()
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 || resp.Trailer.Get("Grpc-Status") != "0" {
		t.Errorf("at the end: %q, %v, %v", rest, err, resp.Trailer)
	}
}

// HTTP/2 on one side and HTTP/1.1 on the other.
func TestProtocolsMeet(t *testing.T) {
	answer := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }
	for _, tt := range []struct{ settings, want string }{{"", "HTTP/1.1"}, {"http: {h2c: true}", "HTTP/2.0"}} {
		s := one(t, tt.settings, answer)
		for _, c := range []*http.Client{client(t, ""), h2(t)} {
			req, _ := http.NewRequestWithContext(t.Context(), "GET", s.URL+"/shop/", nil)
			if g := read(t, c, req); g.body != tt.want {
				t.Errorf("%q: %s reached the dependency as %s, want %s", tt.settings, g.Proto, g.body, tt.want)
			}
		}
	}
}

func TestHTTP2Tunnel(t *testing.T) {
	s := one(t, "", echo("shop"))
	pr, pw := io.Pipe()
	defer pw.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	target := strings.TrimPrefix(s.Policy().Dependencies[0].Value.URL[0], "http://")
	req, _ := http.NewRequestWithContext(ctx, "CONNECT", s.URL, pr)
	req.Host = target
	resp, err := h2(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusNotImplemented {
		t.Error(resp.Status)
	}
}

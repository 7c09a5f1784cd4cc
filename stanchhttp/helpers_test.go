package stanchhttp_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/retry"
	"github.com/stanch-go/stanch/stanchhttp"
)

// base is an http.RoundTripper in memory.
type base func(*http.Request) (*http.Response, error)

func (b base) RoundTrip(r *http.Request) (*http.Response, error) { return b(r) }

// guard makes a Dependency with three attempts without waits, and one place, so
// that whatever is not given back shows at once.
func guard(t testing.TB, change ...func(*stanch.Config)) *stanch.Dependency {
	t.Helper()
	cfg := stanch.Config{
		Timeout:  deadline.Config{Attempt: 5 * time.Second, Total: 20 * time.Second},
		Retry:    retry.Config{Attempts: 3, Base: time.Nanosecond, Jitter: retry.None},
		Bulkhead: bulkhead.Config{Limit: 1},
	}
	for _, c := range change {
		c(&cfg)
	}
	return stanch.Must(stanch.New("shop", cfg, stanch.WithSeed(1)))
}

func breakerAfter(failures int) func(*stanch.Config) {
	return func(c *stanch.Config) {
		c.Breaker = breaker.Config{Consecutive: failures, MinCalls: 1000, Window: time.Minute, Cooldown: time.Hour}
	}
}

func attempts(n int) func(*stanch.Config) { return func(c *stanch.Config) { c.Retry.Attempts = n } }

// places returns how many attempts hold a place.
func places(d *stanch.Dependency) int { return d.Bulkhead().Stats().InFlight }

// idle waits until no attempt holds a place, where that happens in another
// goroutine.
func idle(t *testing.T, d *stanch.Dependency) {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); places(d) != 0; {
		if time.Now().After(end) {
			t.Fatal("a place in the bulkhead was not given back")
		}
		<-time.After(time.Millisecond)
	}
}

// serve starts a server on the loopback and returns a client that is guarded by
// d, and counts connections.
func serve(t *testing.T, d *stanch.Dependency, handler http.HandlerFunc) (client *http.Client, url string, conns *atomic.Int64) {
	t.Helper()
	conns = new(atomic.Int64)
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	server.Start()
	client = stanchhttp.NewClient(d, stanchhttp.ClientConfig{})
	t.Cleanup(func() {
		client.CloseIdleConnections()
		server.Close()
	})
	return client, server.URL, conns
}

// answer makes a response by hand.
func answer(r *http.Request, status int, body io.ReadCloser, headers ...string) *http.Response {
	h := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: body, Request: r, ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1}
}

// tracked is a body that knows whether it was closed.
type tracked struct {
	io.Reader
	closed atomic.Int64
}

func (b *tracked) Close() error { b.closed.Add(1); return nil }

func text(s string) *tracked { return &tracked{Reader: strings.NewReader(s)} }

func newRequest(t testing.TB, ctx context.Context, method, url string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func readAll(t testing.TB, resp *http.Response) string {
	t.Helper()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("reading the body: %v", err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatalf("closing the body: %v", err)
	}
	return string(data)
}

// memory is a network in memory, which works in a bubble of virtual time.
type memory struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newMemory() *memory { return &memory{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}
func (m *memory) Close() error   { m.once.Do(func() { close(m.closed) }); return nil }
func (m *memory) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "memory"} }

func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case m.conns <- there:
		return here, nil
	case <-m.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// serveMemory is serve in a bubble. What it returns last must be called at the
// end of the bubble.
func serveMemory(d *stanch.Dependency, handler http.HandlerFunc) (*http.Client, func()) {
	network := newMemory()
	server := &http.Server{Handler: handler}
	go server.Serve(network)
	transport := stanchhttp.NewBase(d, stanchhttp.ClientConfig{})
	transport.DialContext = network.dial
	transport.Proxy = nil
	client := &http.Client{Transport: stanchhttp.New(d, transport, stanchhttp.Options{})}
	return client, func() {
		client.CloseIdleConnections()
		server.Close()
	}
}

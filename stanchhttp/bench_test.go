package stanchhttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/stanchhttp"
)

var noBody = http.NoBody

func memoryBase(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: noBody, Request: r}, nil
}

// withBody answers with a body that is read to its end.
func withBody(r *http.Request) (*http.Response, error) {
	return answer(r, 200, text("x")), nil
}

func benchmark(b *testing.B, client *http.Client) {
	b.Helper()
	b.ReportAllocs()
	r, err := http.NewRequest("GET", "http://shop/", nil)
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Accept", "application/json")
	for b.Loop() {
		resp, err := client.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		resp.Body.Read(make([]byte, 8))
		resp.Body.Close()
	}
}

// The base is in memory, so that only what the guard adds is measured. The
// plain client pays for its Timeout, which is the least that one must have.
func BenchmarkClient(b *testing.B) {
	for _, w := range []struct {
		name string
		base base
	}{{"no body", memoryBase}, {"body", withBody}} {
		b.Run(w.name+"/bare", func(b *testing.B) {
			benchmark(b, &http.Client{Transport: w.base})
		})
		b.Run(w.name+"/timeout", func(b *testing.B) {
			benchmark(b, &http.Client{Transport: w.base, Timeout: time.Second})
		})
		b.Run(w.name+"/guarded", func(b *testing.B) {
			d := stanch.Must(stanch.New("shop", stanch.Standard(300*time.Millisecond)))
			benchmark(b, &http.Client{Transport: stanchhttp.New(d, w.base, stanchhttp.Options{})})
		})
	}
}

func BenchmarkRefused(b *testing.B) {
	d := stanch.Must(stanch.New("shop", stanch.Standard(300*time.Millisecond)))
	d.Breaker().ForceOpenAt(clock.Real.Now())
	tr := stanchhttp.New(d, base(memoryBase), stanchhttp.Options{})
	r, err := http.NewRequest("PUT", "http://shop/", strings.NewReader("x"))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tr.RoundTrip(r); err == nil {
			b.Fatal("not refused")
		}
	}
}

// Over the loopback: what the guard adds to a real call.
func BenchmarkLoopback(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") }))
	defer server.Close()
	d := stanch.Must(stanch.New("shop", stanch.Standard(300*time.Millisecond)))
	transport := stanchhttp.NewBase(d, stanchhttp.ClientConfig{})
	defer transport.CloseIdleConnections()
	for _, c := range []struct {
		name   string
		client *http.Client
	}{
		{"timeout", &http.Client{Transport: transport, Timeout: time.Second}},
		{"guarded", &http.Client{Transport: stanchhttp.New(d, transport, stanchhttp.Options{})}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				resp, err := c.client.Get(server.URL)
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
}

package stanchhttp_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/shed"
	"github.com/stanch-go/stanch/stanchhttp"
)

// discard is a server's writer without the server.
type discard struct{ h http.Header }

func (d *discard) Header() http.Header       { return d.h }
func (*discard) Write(p []byte) (int, error) { return len(p), nil }
func (*discard) WriteHeader(int)             {}

// BenchmarkInbound is what a request costs that is let in to a handler that does
// nothing, and one that is refused: by a tenant's limit, and for want of a place.
func BenchmarkInbound(b *testing.B) {
	tenants := func(n float64) inbound.Config {
		return inbound.Config{Deadline: time.Second, Limits: []inbound.Limit{perMinute(n)}, Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 64}}}
	}
	for name, cfg := range map[string]inbound.Config{
		"admitted":   tenants(1e12),
		"rate":       tenants(1e-9),
		"no_options": {},
	} {
		b.Run(name, func(b *testing.B) {
			h := stanchhttp.Inbound(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), controller(b, cfg), stanchhttp.InboundOptions{Tenant: "X-Tenant"})
			r := httptest.NewRequest("GET", "/search", nil)
			r.Header.Set("X-Tenant", "acme")
			w := &discard{http.Header{}}
			b.ReportAllocs()
			for b.Loop() {
				clear(w.h)
				h.ServeHTTP(w, r)
			}
		})
	}
}

// A refusal allocates its error, its admission's and its own headers' values.
func TestRefusalAllocations(t *testing.T) {
	h := stanchhttp.Inbound(http.HandlerFunc(ok), controller(t, inbound.Config{Limits: []inbound.Limit{perMinute(1e-9)}}), stanchhttp.InboundOptions{Tenant: "X-Tenant"})
	r := httptest.NewRequest("GET", "/search", nil)
	w := &discard{http.Header{}}
	h.ServeHTTP(w, r)
	if n := testing.AllocsPerRun(1000, func() { clear(w.h); h.ServeHTTP(w, r) }); n > 5 {
		t.Errorf("%v allocations", n)
	}
}

package stanchhttp_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/stanchhttp"
)

// A stream has a limit for its header, and the caller one too, as in the sidecar;
// the base has itself called at the end of its context, as proxy/direct does.
func BenchmarkStream(b *testing.B) {
	d := stanch.Must(stanch.New("shop", stanch.Standard(300*time.Millisecond)))
	t := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) {
		defer r.Context().(interface{ AfterFunc(func()) func() bool }).AfterFunc(func() {})()
		return withBody(r)
	}), stanchhttp.Options{Streams: true, Owned: true})
	parent := b.Context()
	r, err := http.NewRequestWithContext(parent, "GET", "http://shop/", nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, bounded := range []bool{false, true} {
		b.Run(map[bool]string{false: "attempt's limit", true: "caller's limit"}[bounded], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				req, answered := r, func() {}
				if bounded {
					ctx, cancel := stanchhttp.WithDeadline(parent, time.Now().Add(100*time.Millisecond))
					req, answered = r.WithContext(ctx), cancel
				}
				resp, err := t.RoundTrip(req)
				answered()
				if err != nil {
					b.Fatal(err)
				}
				resp.Body.Read(make([]byte, 8))
				resp.Body.Close()
			}
		})
	}
}

package stanchhttp_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/stanchhttp"
)

// What a guarded call allocates: its state and how the guard calls it, the
// attempt's context, the copy of the request and its header. A base that waits
// for nothing costs no timer.
func TestAllocations(t *testing.T) {
	d := stanch.Must(stanch.New("shop", stanch.Standard(time.Second)))
	canned := &http.Response{StatusCode: 200, Header: http.Header{}, Body: http.NoBody}
	tr := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) { return canned, nil }), stanchhttp.Options{})
	r, err := http.NewRequest("GET", "http://shop/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := tr.RoundTrip(r); err != nil {
			t.Fatal(err)
		}
	}); n > 8 {
		t.Errorf("%v allocations, want at most 8", n)
	}
}

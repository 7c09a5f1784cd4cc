package stanchhttp_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/stanchhttp"
)

// What a guarded call allocates: its state with the copy of the request and the
// attempt's context, the header's map, which are two, and the body where there is
// one. A base that waits for nothing costs no timer.
func TestAllocations(t *testing.T) {
	for name, tt := range map[string]struct {
		body io.ReadCloser
		most float64
	}{"without a body": {http.NoBody, 3}, "with a body": {&tracked{Reader: strings.NewReader("")}, 4}} {
		allocates(t, name, tt.body, tt.most)
	}
}

func allocates(t *testing.T, name string, body io.ReadCloser, most float64) {
	t.Helper()
	d := stanch.Must(stanch.New("shop", stanch.Standard(time.Second)))
	canned := &http.Response{StatusCode: 200, Header: http.Header{}}
	tr := stanchhttp.New(d, base(func(r *http.Request) (*http.Response, error) { return canned, nil }), stanchhttp.Options{})
	r, err := http.NewRequest("GET", "http://shop/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	if n := testing.AllocsPerRun(1000, func() {
		canned.Body = body
		if _, err := tr.RoundTrip(r); err != nil {
			t.Fatal(err)
		}
		canned.Body.Close()
	}); n > most {
		t.Errorf("%s: %v allocations, want at most %v", name, n, most)
	}
}

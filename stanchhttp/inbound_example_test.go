package stanchhttp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/shed"
	"github.com/stanch-go/stanch/stanchhttp"
)

// A service takes in two requests a minute from each tenant, and works on no more
// than 64 at once.
func ExampleInbound() {
	control, err := inbound.New("shop", inbound.Config{
		Deadline:    2 * time.Second,
		Limits:      []inbound.Limit{{Name: "tenant", By: inbound.Tenant, Rate: 2, Window: time.Minute}},
		Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 64}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	search := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "two books") }
	handler := stanchhttp.Inbound(http.HandlerFunc(search), control, stanchhttp.InboundOptions{Tenant: "X-Tenant"})

	for range 3 {
		r := httptest.NewRequest("GET", "/search", nil)
		r.Header.Set("X-Tenant", "acme")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		h := w.Header()
		fmt.Printf("%d, %s, %s, %q\n", w.Code, h.Get("RateLimit-Policy"), h.Get("RateLimit"), h.Get("Retry-After"))
	}
	// Output:
	// 200, "tenant";q=2;w=60, "tenant";r=1;t=30, ""
	// 200, "tenant";q=2;w=60, "tenant";r=0;t=60, ""
	// 429, "tenant";q=2;w=60, "tenant";r=0;t=60, "30"
}

package bench

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/ratelimit"
	"github.com/stanch-go/stanch/retry"
	"github.com/stanch-go/stanch/stanchhttp"
)

// What is promised of allocations, which every machine counts alike: so these,
// and no times, are part of the checks.
func TestAllocations(t *testing.T) {
	ctx := caller(t)
	all, open := everything(), opened()
	popular := stanch.Or("popular", one)
	alone := stanch.Must(stanch.New("d", stanch.Config{Retry: retry.Config{Attempts: attempts}}))
	guard := must(breaker.New(stanch.Standard(attemptTimeout).Breaker, breaker.Options{}))
	places := must(bulkhead.New(bulkhead.Config{Limit: places}))
	bucket := must(ratelimit.NewBucket(ratelimit.Config{Rate: 1e9}))
	keyed := must(ratelimit.NewKeyed(ratelimit.KeyedConfig{Rate: 1e6, Keys: 1000}))
	names := make([]string, 1000)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	trip := stanchhttp.New(everything(), inMemory{"", http.NoBody}, stanchhttp.Options{})
	r := must(http.NewRequestWithContext(ctx, "GET", "http://shop/", nil))
	now, next := int64(time.Hour), 0
	for _, c := range []struct {
		about string
		most  float64
		op    func()
	}{
		{"whole call", 1, func() { stanch.Ask(ctx, all, one, popular) }},
		{"whole call without a fallback", 1, func() { stanch.Do(ctx, all, one) }},
		{"retry alone", 0, func() { stanch.Do(ctx, alone, one) }},
		{"refused by the breaker", 0, func() { stanch.Do(ctx, open, one) }},
		{"breaker alone", 0, func() {
			now++
			p, _ := guard.AllowAt(now)
			guard.DoneAt(now, p, outcome.Success, 1)
		}},
		{"bulkhead alone", 0, func() { places.TryAcquireAt(now); places.ReleaseAt(now) }},
		{"token bucket", 0, func() { now++; bucket.AllowAt(now, 1) }},
		{"keyed limiter", 0, func() { now, next = now+1, (next+1)%len(names); keyed.AllowAt(now, names[next], 1) }},
		{"RoundTripper, of which three are the transport's", 9, func() { read(trip.RoundTrip(r)) }},
	} {
		if n := testing.AllocsPerRun(1000, c.op); n > c.most {
			t.Errorf("%s: %v allocations, promised are at most %v", c.about, n, c.most)
		}
	}
}

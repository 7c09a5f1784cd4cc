package bench

import (
	"context"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go/ratelimiter"
	"github.com/sethvargo/go-limiter/memorystore"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/memstore"
	"github.com/ulule/limiter/v3"
	"github.com/ulule/limiter/v3/drivers/store/memory"
	uber "go.uber.org/ratelimit"
	"golang.org/x/time/rate"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/ratelimit"
)

// Limiter is one key whose limit is not reached, and one whose limit is.
func BenchmarkLimiter(b *testing.B) {
	ctx := context.Background()
	for _, c := range []struct {
		name        string
		rate, burst int
		per         time.Duration
		ok          bool
	}{
		{"admitted", 1e9, 1e9, time.Second, true},
		{"refused", 1, 1, time.Hour, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			bucket := must(ratelimit.NewBucket(ratelimit.Config{Rate: float64(c.rate), Window: c.per, Burst: float64(c.burst)}))
			meter := must(ratelimit.NewMeter(ratelimit.Config{Rate: float64(c.rate), Window: c.per, Burst: float64(c.burst)}))
			xtime := rate.NewLimiter(rate.Limit(float64(c.rate)/c.per.Seconds()), c.burst)
			bursty := ratelimiter.NewBursty[int](uint(c.rate), c.per)
			gcra := must(throttled.NewGCRARateLimiterCtx(must(memstore.NewCtx(1000)), throttled.RateQuota{MaxRate: throttled.PerDuration(c.rate, c.per), MaxBurst: c.burst - 1}))
			sethvargo := must(memorystore.New(&memorystore.Config{Tokens: uint64(c.rate), Interval: c.per}))
			defer sethvargo.Close(ctx)
			ulule := limiter.New(memory.NewStore(), limiter.Rate{Period: c.per, Limit: int64(c.rate)})
			if !c.ok { // what there is, is taken
				now := clock.Real.Now()
				bucket.AllowAt(now, 1)
				meter.AllowAt(now, 1)
				xtime.Allow()
				bursty.TryAcquirePermit()
				gcra.RateLimitCtx(ctx, "k", 1)
				sethvargo.Take(ctx, "k")
				ulule.Get(ctx, "k")
			}
			all := []contender{
				{"stanch", func() bool { return bucket.AllowAt(clock.Real.Now(), 1).OK == c.ok }},
				{"stanch/meter", func() bool { return meter.AllowAt(clock.Real.Now(), 1).OK == c.ok }},
				{"x/time", func() bool { return xtime.Allow() == c.ok }},
				{"failsafe", func() bool { return bursty.TryAcquirePermit() == c.ok }},
				{"throttled", func() bool { limited, _, _ := gcra.RateLimitCtx(ctx, "k", 1); return limited != c.ok }},
				// In parallel it refuses now and then at the turn of an interval, far below the limit.
				{"go-limiter", func() bool { _, _, _, ok, err := sethvargo.Take(ctx, "k"); return ok == c.ok || err == nil }},
				{"ulule", func() bool { r, _ := ulule.Get(ctx, "k"); return r.Reached != c.ok }},
			}
			if c.ok { // it has no refusal: it sleeps
				u := uber.New(1e9)
				all = append(all, contender{"uber", func() bool { return !u.Take().IsZero() }})
			}
			both(b, all)
		})
	}
}

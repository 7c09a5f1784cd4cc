package ratelimit_test

import (
	"math"
	"testing"
	"time"

	"github.com/stanch-go/stanch/ratelimit"
	"pgregory.net/rapid"
)

// aConfig draws limits of every size, with costs in proportion.
func aConfig(t *rapid.T) ratelimit.Config {
	c := ratelimit.Config{
		Algorithm: rapid.SampledFrom(algorithms).Draw(t, "algorithm"),
		Rate:      rapid.SampledFrom([]float64{0.1, 1, 3, 10, 33.3, 100, 1000, 1e6, 1e9}).Draw(t, "rate"),
		Window:    rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, time.Minute, 7 * time.Hour}).Draw(t, "window"),
	}
	if c.Algorithm == ratelimit.SlidingLog {
		c.Rate = min(c.Rate, 1<<20)
	}
	if c.Algorithm == ratelimit.TokenBucket || c.Algorithm == ratelimit.LeakyMeter {
		c.Burst = rapid.SampledFrom([]float64{0, 0.5, 1, 4, 100, 1e6}).Draw(t, "burst")
	}
	return c
}

func aCost(t *rapid.T, c ratelimit.Config) float64 {
	most := max(c.Burst, c.Rate, 1)
	return rapid.SampledFrom([]float64{0.25, 1, 1, 1, 2, most / 4, most, most + 1}).Draw(t, "cost")
}

func aPause(t *rapid.T, c ratelimit.Config) int64 {
	one := int64(float64(c.Window) / c.Rate)
	return rapid.OneOf(
		rapid.Just[int64](0), rapid.Int64Range(0, 3), rapid.Int64Range(0, 2*one), rapid.Int64Range(0, 2*int64(c.Window)),
	).Draw(t, "pause")
}

// bound is what the limiter's page says: the most that is admitted in t, both ends
// included, and the rounding.
func bound(c ratelimit.Config, t int64) float64 {
	c = c.Effective()
	refilled := c.Rate / float64(c.Window) * float64(t)
	unit := 10*c.Rate/float64(c.Window) + 1e-9*(1+c.Burst+c.Rate)
	switch c.Algorithm {
	case ratelimit.SlidingLog:
		if t < int64(c.Window) {
			return c.Rate
		}
		return math.Inf(1)
	case ratelimit.SlidingCounter:
		if t <= int64(c.Window) {
			return c.Rate + refilled + 1e-6 + 1e-9*c.Rate
		}
		return math.Inf(1)
	case ratelimit.LeakyShaper:
		return max(c.Rate, 1) + refilled + unit
	}
	return c.Burst + refilled + unit
}

// TestNeverMoreThanThePageSays looks at every stretch of time. A late reading of
// the clock counts as the latest at which something was admitted; for the
// windows, at which something was asked.
func TestNeverMoreThanThePageSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := aConfig(t)
		l := must(ratelimit.New(c))
		var at []int64
		var sums []float64
		now, seen, sum := int64(0), int64(0), 0.0
		for range rapid.IntRange(1, 60).Draw(t, "requests") {
			now += aPause(t, c)
			late := rapid.SampledFrom([]int64{0, 0, 1, ms, 900 * ms, 59 * second}).Draw(t, "late")
			cost := aCost(t, c)
			ok := l.AllowAt(now-late, cost).OK
			if ok || c.Algorithm == ratelimit.SlidingLog || c.Algorithm == ratelimit.SlidingCounter {
				seen = max(seen, now-late)
			}
			if !ok {
				continue
			}
			now := seen
			sum += cost
			at, sums = append(at, now), append(sums, sum)
			for i := range at {
				before := 0.0
				if i > 0 {
					before = sums[i-1]
				}
				if got := sum - before; got > bound(c, now-at[i]) {
					t.Fatalf("%+v: %v in %v, at most %v", c, got, time.Duration(now-at[i]), bound(c, now-at[i]))
				}
			}
			if n := len(at) - 1; c.Algorithm == ratelimit.LeakyShaper && n > 0 { // the one before has been refilled
				if got := c.Rate / float64(c.Window) * float64(now-at[n-1]+10); got < sums[n-1]-sums[max(n-2, 0)] && n > 1 {
					t.Fatalf("%+v: only %v after a cost of %v", c, got, sums[n-1]-sums[n-2])
				}
			}
		}
	})
}

// TestDecisionsComeTrue: what remains is admitted, and no more; a refused request
// is admitted after RetryAfter, and not a nanosecond sooner; after ResetAfter the
// limiter is as new; and a refusal changes nothing.
func TestDecisionsComeTrue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := aConfig(t)
		l, twin := must(ratelimit.New(c)), must(ratelimit.New(c))
		fresh := l.AllowAt(0, 0)
		now := int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "requests") {
			now += aPause(t, c)
			cost := aCost(t, c)
			d := l.AllowAt(now, cost)
			if d.OK {
				twin.AllowAt(now, cost)
			}
			if got := twin.AllowAt(now, 0); got.Remaining != d.Remaining || got.ResetAfter != d.ResetAfter {
				t.Fatalf("a refusal changed something: %+v instead of %+v", d, got)
			}
			more := d.Remaining + max(0.01, d.Remaining/1e6, 20*c.Rate/float64(c.Window))
			if got := l.AllowAt(now, more); got.OK {
				t.Fatalf("%+v: %v remained, %v was admitted", c, d.Remaining, more)
			}
			if !d.OK && d.RetryAfter < 1000*time.Hour && rapid.Bool().Draw(t, "retry") {
				if d.RetryAfter <= 0 {
					t.Fatalf("%+v: refused, to be retried at once", d)
				}
				if got := l.AllowAt(now+int64(d.RetryAfter)-1, cost); got.OK {
					t.Fatalf("%+v: admitted before RetryAfter %v", c, d.RetryAfter)
				}
				now += int64(d.RetryAfter)
				if got := l.AllowAt(now, cost); !got.OK {
					t.Fatalf("%+v: refused after RetryAfter %v: %+v", c, d.RetryAfter, got)
				}
				twin.AllowAt(now, cost)
			}
			if reset := l.AllowAt(now, 0).ResetAfter; reset < 1000*time.Hour && rapid.IntRange(0, 9).Draw(t, "reset") == 0 {
				now += int64(reset)
				if got := l.AllowAt(now, 0); got != fresh {
					t.Fatalf("%+v: after ResetAfter %+v", c, got)
				}
			}
			if rapid.IntRange(0, 4).Draw(t, "spend") == 0 {
				left := l.AllowAt(now, 0).Remaining
				if got := l.AllowAt(now, left); !got.OK {
					t.Fatalf("%+v: %v remained and was refused", c, left)
				}
				twin.AllowAt(now, left)
			}
		}
	})
}

// TestLateReadingsHarmNobody: requests with an old reading of the clock change
// for the others only what they took themselves.
func TestLateReadingsHarmNobody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := aConfig(t)
		l, twin := must(ratelimit.New(c)), must(ratelimit.New(c))
		now := int64(60 * second)
		for range rapid.IntRange(1, 30).Draw(t, "requests") {
			now += aPause(t, c)
			cost := aCost(t, c)
			got, want := l.AllowAt(now, cost), twin.AllowAt(now, cost)
			if got != want {
				t.Fatalf("%+v: %+v, without late readings %+v", c, got, want)
			}
			late := now - rapid.Int64Range(0, 60*second).Draw(t, "late")
			if l.AllowAt(late, cost).OK && !twin.AllowAt(now, cost).OK {
				t.Fatalf("%+v: a late reading opened", c)
			}
		}
	})
}

// TestTimeThatWentBack: after a reading far in the future, or a clock that was set
// back, the limiter goes on within the time of one refill.
func TestTimeThatWentBack(t *testing.T) {
	for _, a := range algorithms {
		for _, ahead := range []int64{3600 * second, 1 << 60, math.MaxInt64} {
			c := ratelimit.Config{Algorithm: a, Rate: 10}
			l := must(ratelimit.New(c))
			l.AllowAt(ahead, 10)
			now := 5 * second
			passed := 0
			for ; now < 15*second; now += 10 * ms {
				if l.AllowAt(now, 1).OK {
					passed++
				}
			}
			if passed < 70 || passed > 110 {
				t.Errorf("%s: %d of 100 passed in 10 s, after a reading of %v", a, passed, time.Duration(ahead))
			}
		}
	}
}

// A window longer than the step back keeps its counts and how old they are.
func TestTimeThatWentBackInAWindow(t *testing.T) {
	for _, a := range []ratelimit.Algorithm{ratelimit.SlidingLog, ratelimit.SlidingCounter} {
		l := must(ratelimit.New(ratelimit.Config{Algorithm: a, Rate: 10, Window: time.Hour}))
		l.AllowAt(3600*second, 10)
		before := l.AllowAt(3610*second, 0)
		if after := l.AllowAt(3500*second, 0); after != before {
			t.Errorf("%s: %+v, before %+v", a, after, before)
		}
	}
}

// TestMeterIsABucket: the leaky bucket as a meter is the token bucket seen from
// the other side.
func TestMeterIsABucket(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := aConfig(t)
		c.Algorithm, c.Burst = ratelimit.TokenBucket, max(c.Burst, 1)
		bucket := must(ratelimit.New(c))
		c.Algorithm = ratelimit.LeakyMeter
		meter := must(ratelimit.New(c))
		now := int64(0)
		for range 20 {
			now += aPause(t, c)
			cost := aCost(t, c)
			if b, m := bucket.AllowAt(now, cost), meter.AllowAt(now, cost); b != m {
				t.Fatalf("%+v: bucket %+v, meter %+v", c, b, m)
			}
		}
	})
}

// The bound of the sliding counter is not only an upper one: this is the traffic
// that reaches it.
func TestCounterBoundIsReached(t *testing.T) {
	l := must(ratelimit.NewCounter(ratelimit.Config{Rate: 1000}))
	log := must(ratelimit.NewLog(ratelimit.Config{Rate: 1000}))
	inCounter, inLog := 0, 0
	for now := second - 1; now < 2*second-1; now += ms {
		for l.AllowAt(now, 1).OK {
			inCounter++
		}
		for log.AllowAt(now, 1).OK {
			inLog++
		}
	}
	if inCounter < 1990 || inCounter > 2000 || inLog != 1000 {
		t.Errorf("%d by the counter, %d by the log", inCounter, inLog)
	}
}

// With even arrivals the sliding counter is as good as the log.
func TestCounterWithEvenArrivals(t *testing.T) {
	for _, load := range []int64{2, 5} {
		l := must(ratelimit.NewCounter(ratelimit.Config{Rate: 1000}))
		passed := 0
		for now := int64(0); now < 20*second; now += ms / load {
			if l.AllowAt(now, 1).OK && now >= 10*second {
				passed++
			}
		}
		if passed < 9900 || passed > 10100 {
			t.Errorf("%d of 10000 at %d times the rate", passed, load)
		}
	}
}

package adaptive

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
	"pgregory.net/rapid"
)

func drawConfig(t *rapid.T) Config {
	least := rapid.IntRange(1, 5).Draw(t, "min")
	most := rapid.IntRange(least, 50).Draw(t, "max")
	return Config{
		Algorithm:  rapid.SampledFrom([]Algorithm{"", Gradient, Vegas, AIMD}).Draw(t, "algorithm"),
		Min:        least,
		Max:        most,
		Initial:    rapid.IntRange(least, most).Draw(t, "initial"),
		Window:     time.Duration(rapid.IntRange(1, 1000).Draw(t, "window")) * time.Millisecond,
		ProbeEvery: time.Duration(rapid.IntRange(1, 10).Draw(t, "probe every")) * time.Second,
	}
}

// Whatever comes: the limit is between floor and ceiling, no more are in flight
// than it says at that moment, every permit resolves once, and in the end all
// are there again.
func TestPermitsAndLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		l := must(New(cfg))
		now := int64(0)
		var held, ended []Permit
		for range rapid.IntRange(1, 400).Draw(t, "steps") {
			now = max(0, now+rapid.Int64Range(-100, 1000).Draw(t, "gap")*ms)
			limit := l.Limit()
			switch step := rapid.IntRange(0, 9).Draw(t, "step"); {
			case step < 5:
				p, ok := l.AcquireAt(now)
				if ok != (len(held) < limit) {
					t.Fatalf("%d in flight of %d: admitted %v", len(held), limit, ok)
				}
				if ok {
					held = append(held, p)
				}
			case step < 9 && len(held) > 0:
				i := rapid.IntRange(0, len(held)-1).Draw(t, "which")
				o := outcome.Outcome(rapid.IntRange(0, 2).Draw(t, "outcome"))
				l.DoneAt(now, held[i], o, time.Duration(rapid.Int64Range(-5, 5000).Draw(t, "took"))*time.Millisecond)
				ended = append(ended, held[i])
				held = append(held[:i], held[i+1:]...)
			case len(ended) > 0:
				before := l.Stats()
				l.DoneAt(now, rapid.SampledFrom(ended).Draw(t, "again"), outcome.Failure, time.Second)
				if after := l.Stats(); after != before {
					t.Fatalf("resolved twice: %+v, was %+v", after, before)
				}
			}
			if n := l.Limit(); n < cfg.Min || n > cfg.Max {
				t.Fatalf("the limit is %d, outside of %d to %d", n, cfg.Min, cfg.Max)
			}
			if s := l.Stats(); s.InFlight != len(held) {
				t.Fatalf("%d in flight, counted as %d", len(held), s.InFlight)
			}
		}
	})
}

// windows are any samples, told to a controller.
func windows(t *rapid.T, c *control, n int, draw func() sample) {
	for i := range n {
		c.update(int64(i)*second, draw())
	}
}

// After any history, windows without a success end at the floor.
func TestLossesEndAtTheFloor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		c := newControl(cfg.Effective())
		windows(t, &c, rapid.IntRange(0, 50).Draw(t, "before"), func() sample {
			n := rapid.IntRange(50, 200).Draw(t, "calls")
			return sample{calls: n, lost: rapid.IntRange(0, n).Draw(t, "lost") / 8, peak: rapid.IntRange(1, 60).Draw(t, "peak"),
				latency: float64(rapid.Int64Range(1, 1000).Draw(t, "latency")) * 1e6}
		})
		base := c.base
		windows(t, &c, 10, func() sample { return sample{calls: 50, lost: 50, peak: int(c.limit)} })
		if c.limit != float64(cfg.Min) || c.base != base {
			t.Fatalf("limit %v, base %v, was %v", c.limit, c.base, base)
		}
	})
}

// A limit that nobody fills does not grow, whatever the latency.
func TestUnusedDoesNotGrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newControl(drawConfig(t).Effective())
		before := c.limit
		windows(t, &c, 50, func() sample {
			return sample{calls: 100, peak: int(c.limit) - 1, latency: float64(rapid.Int64Range(1, 1000).Draw(t, "latency")) * 1e6}
		})
		if c.limit > before {
			t.Fatalf("the limit grew from %v to %v", before, c.limit)
		}
	})
}

// The share that is dropped is never above MaxReject, and none while at least
// one of K is accepted.
func TestThrottleIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := ThrottleConfig{K: rapid.Float64Range(1, 5).Draw(t, "k"), MaxReject: rapid.Float64Range(0.01, 0.999).Draw(t, "max")}
		th := must(NewThrottle(cfg, seeded(1)))
		now, accepted, all := int64(0), 0, 0
		for range rapid.IntRange(1, 200).Draw(t, "calls") {
			now += rapid.Int64Range(0, 10).Draw(t, "gap") * ms // within one window
			ok := th.AllowAt(now)
			all++
			if ok {
				o := rapid.SampledFrom([]outcome.Outcome{outcome.Success, outcome.Failure}).Draw(t, "outcome")
				th.DoneAt(now, o)
				if o == outcome.Success {
					accepted++
				}
			}
			p := th.StatsAt(now).Reject
			if p < 0 || p > cfg.MaxReject || (p > 0) != (cfg.K*float64(accepted) < float64(all)) {
				t.Fatalf("%d of %d accepted: dropped with %v", accepted, all, p)
			}
		}
	})
}

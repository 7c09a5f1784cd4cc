package deadline

import (
	"math"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stanch-go/stanch/internal/clock"
)

// instants and durations mix everyday values with the extremes.
var (
	instants  = rapid.OneOf(rapid.Int64Range(-20, 20), rapid.Int64(), rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, math.MaxInt64 - 1}))
	durations = rapid.Map(rapid.OneOf(rapid.Int64Range(0, 20), rapid.Int64Range(0, math.MaxInt64)), func(d int64) time.Duration { return time.Duration(d) })
)

// The budget against the same definitions in numbers without limits.
func TestBudgetIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := Config{Attempt: durations.Draw(t, "attempt"), Total: durations.Draw(t, "total"),
			Reserve: durations.Draw(t, "reserve"), Useful: durations.Draw(t, "useful")}
		start, caller := instants.Draw(t, "start"), instants.Draw(t, "caller")
		now, wait := instants.Draw(t, "now"), durations.Draw(t, "wait")
		b := cfg.Start(start, caller)

		limits := map[Bound]*big.Int{}
		never := big.NewInt(clock.Never)
		limit := func(by Bound, at *big.Int) {
			if at.Cmp(never) < 0 {
				limits[by] = at
			}
		}
		if caller != clock.Never {
			limit(CallerDeadline, plus(caller, -cfg.Reserve))
		}
		if cfg.Total > 0 {
			limit(TotalTimeout, plus(start, cfg.Total))
		}
		whole := earliest(limits)
		if cfg.Attempt > 0 {
			limit(AttemptTimeout, plus(now, cfg.Attempt))
		}
		first := earliest(limits)

		end, by := b.Attempt(now)
		if first == nil {
			if end != clock.Never || by != Unbounded {
				t.Fatalf("attempt: no limit, but ends at %d by %v", end, by)
			}
		} else if end != saturated(first) || limits[by] == nil || saturated(limits[by]) != end {
			t.Fatalf("attempt: ends at %d by %v, want %v of %v", end, by, first, limits)
		}

		left := big.NewInt(math.MaxInt64) // more than any
		fits := true
		if whole != nil {
			at := big.NewInt(saturated(whole))
			left = clamp(new(big.Int).Sub(at, big.NewInt(now)))
			rest := new(big.Int).Sub(at, plus(now, wait))
			fits = rest.Sign() > 0 && rest.Cmp(big.NewInt(int64(cfg.Useful))) >= 0
		}
		if got := b.Remaining(now); int64(got) != left.Int64() {
			t.Fatalf("remaining: got %d, want %v", got, left)
		}
		if got := b.Fits(now, wait); got != fits {
			t.Fatalf("fits: got %v, want %v", got, fits)
		}
		if latest := b.Latest(); latest != math.MinInt64 && (now <= latest) != b.Fits(now, 0) {
			t.Fatalf("latest start is %d, but at %d an attempt fits: %v", latest, now, b.Fits(now, 0))
		}
	})
}

func plus(t int64, d time.Duration) *big.Int {
	return new(big.Int).Add(big.NewInt(t), big.NewInt(int64(d)))
}

func earliest(limits map[Bound]*big.Int) (first *big.Int) {
	for _, at := range limits {
		if first == nil || at.Cmp(first) < 0 {
			first = at
		}
	}
	return first
}

func saturated(at *big.Int) int64 {
	if at.IsInt64() {
		return at.Int64()
	}
	if at.Sign() < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

func clamp(d *big.Int) *big.Int { return big.NewInt(max(0, saturated(d))) }

// Whatever a call does, as long as it asks before each wait and each attempt,
// it never outlives its budget and never begins what cannot be useful.
func TestCallStaysWithinItsBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		short := rapid.Map(rapid.IntRange(0, 1000), func(n int) time.Duration { return time.Duration(n) * msec })
		cfg := Config{Attempt: short.Draw(t, "attempt"), Total: short.Draw(t, "total") + msec,
			Reserve: short.Draw(t, "reserve"), Useful: short.Draw(t, "useful")}
		caller := int64(short.Draw(t, "caller"))
		b := cfg.Start(0, caller)
		latest := max(0, min(int64(cfg.Total), caller-int64(cfg.Reserve)))

		now := int64(0)
		for range rapid.IntRange(1, 20).Draw(t, "attempts") {
			wait := short.Draw(t, "wait")
			if !b.Fits(now, wait) {
				break
			}
			now += int64(wait)
			end, _ := b.Attempt(now)
			if cfg.Attempt >= cfg.Useful && end-now < int64(cfg.Useful) {
				t.Fatalf("begun at %d with %d, less than useful", now, end-now)
			}
			now = end // the worst case: the attempt takes all it may
			if cfg.Attempt == 0 {
				break
			}
		}
		if now > latest {
			t.Fatalf("the call ended at %d, must by %d", now, latest)
		}
	})
}

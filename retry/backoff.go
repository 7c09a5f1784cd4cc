package retry

import (
	"iter"
	"math"
	"math/rand/v2"
	"time"
)

// Backoff returns the wait before retry n, where 1 is the first retry. What is
// below 1 counts as 1, what is above [MaxAttempts] as that.
//
// The computed wait is min(Cap, Base × Multiplier^(n-1)), which saturates; the
// jitter then draws from below it:
//
//	full          [0, wait)
//	equal         [wait/2, wait)
//	decorrelated  [Base, min(Cap, 3 × prev))
//	none          wait
//
// prev is the wait before the retry before this one, 0 if there was none. Cap is
// applied before the jitter, in each of them: the other way round, long waits
// would gather at exactly Cap, and their callers with them.
//
// rnd may be nil if the jitter is none. A client should own its source: clients
// that are seeded alike retry alike.
func (c Config) Backoff(n int, prev time.Duration, rnd *rand.Rand) time.Duration {
	c = c.defaults()
	wait := c.ceiling(n)
	switch c.Jitter {
	case None:
		return wait
	case Equal:
		return wait/2 + below(wait-wait/2, rnd)
	case Decorrelated:
		base := min(c.Base, c.Cap)
		return base + below(min(c.Cap, triple(max(prev, base)))-base, rnd)
	default:
		return below(wait, rnd)
	}
}

// WaitFor returns the wait before retry n of a call whose last attempt brought
// the server's wish, if hasAfter, to be left alone for so long.
//
// The wish is followed exactly instead of the backoff, and one of nothing, such
// as a date in the past, leaves the backoff as it is. A wish above RetryAfterCap
// is not ok: the call should end now, since a retry before that time is
// unwelcome and nobody waits for one after it. The wait is then the wish.
func (c Config) WaitFor(n int, prev time.Duration, rnd *rand.Rand, after time.Duration, hasAfter bool) (wait time.Duration, ok bool) {
	if !hasAfter || after <= 0 {
		return c.Backoff(n, prev, rnd), true
	}
	return after, after <= c.defaults().RetryAfterCap
}

// Waits returns the longest wait that Backoff may choose before each retry, in
// order. Without jitter these are the waits.
func (c Config) Waits() iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		d := c.defaults()
		if d.Jitter == Decorrelated {
			d.Base, d.Multiplier = triple(d.Base), 3
		}
		for n := 1; n < c.Attempts; n++ {
			if !yield(d.ceiling(n)) {
				return
			}
		}
	}
}

// ceiling is the computed wait before retry n, of a Config with its defaults.
// Repeated multiplication instead of a power gives the same bits on every
// machine; whole nanoseconds in between would stop short waits from growing.
func (c Config) ceiling(n int) time.Duration {
	wait, most := float64(min(c.Base, c.Cap)), float64(c.Cap)
	for range min(max(n, 1), MaxAttempts) - 1 {
		if wait *= c.Multiplier; wait >= most {
			break
		}
	}
	if wait >= most {
		return c.Cap
	}
	return time.Duration(wait)
}

// triple returns 3 × d, saturated.
func triple(d time.Duration) time.Duration {
	if d > math.MaxInt64/3 {
		return math.MaxInt64
	}
	return 3 * d
}

// below draws from [0, d), and is 0 if there is nothing to draw from.
func below(d time.Duration, rnd *rand.Rand) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(rnd.Int64N(int64(d)))
}

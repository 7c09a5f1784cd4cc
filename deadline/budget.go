package deadline

import (
	"fmt"
	"math"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// Bound says which of the limits on a call is the one that ends it first.
type Bound uint8

const (
	Unbounded      Bound = iota // no limit at all
	AttemptTimeout              // Config.Attempt
	TotalTimeout                // Config.Total
	CallerDeadline              // the caller's deadline, less Config.Reserve
)

func (b Bound) String() string {
	switch b {
	case Unbounded:
		return "unbounded"
	case AttemptTimeout:
		return "attempt timeout"
	case TotalTimeout:
		return "total timeout"
	case CallerDeadline:
		return "caller's deadline"
	}
	return fmt.Sprintf("bound(%d)", uint8(b))
}

// Budget is the time that one call may still spend. It is a plain value made by
// [Config.Start]; its methods only compute, so it may be copied and shared.
//
// Instants are nanoseconds on one monotonic clock of any origin; the largest
// int64 means never. A clock that goes backwards gives the time back and does
// no other harm.
type Budget struct {
	end     int64
	attempt time.Duration
	useful  time.Duration
	bound   Bound
}

// Start opens the budget of a call that begins now for a caller whose deadline
// is the instant caller, or never (math.MaxInt64).
func (c Config) Start(now, caller int64) Budget {
	b := Budget{end: clock.Never, attempt: c.Attempt, useful: c.Useful}
	if end := clock.Add(now, c.Total); c.Total > 0 && end != clock.Never {
		b.end, b.bound = end, TotalTimeout
	}
	// A tie is the total's: the call was given all that was configured.
	if left := sub(caller, c.Reserve); left < b.end {
		b.end, b.bound = left, CallerDeadline
	}
	return b
}

// End returns the instant at which the call is over, with all its attempts, and
// the limit that sets it.
func (b Budget) End() (end int64, by Bound) { return b.end, b.bound }

// Remaining returns what is left of the budget: 0 when it is spent, the largest
// duration when it has no end.
func (b Budget) Remaining(now int64) time.Duration {
	if b.end == clock.Never {
		return math.MaxInt64
	}
	return between(now, b.end)
}

// Attempt returns the instant at which an attempt that begins now must be over,
// and the limit that sets it, by which a timeout is judged: after an
// [AttemptTimeout] (which wins ties: the dependency had all the time it is ever
// given) another attempt may be possible; after the others there is no time for
// one.
func (b Budget) Attempt(now int64) (end int64, by Bound) {
	if b.attempt > 0 {
		if end := clock.Add(now, b.attempt); end <= b.end && end != clock.Never {
			return end, AttemptTimeout
		}
	}
	return b.end, b.bound
}

// Fits tells whether, after a wait that begins now, an attempt will still have
// some time, and at least Config.Useful. Without a wait it tells whether an
// attempt may begin at all. A wait that does not fit is not worth beginning:
// nothing can come of it but the end of the budget.
func (b Budget) Fits(now int64, wait time.Duration) bool {
	if b.end == clock.Never {
		return true
	}
	left := between(clock.Add(now, wait), b.end)
	return left > 0 && left >= b.useful
}

// Latest returns the last instant at which an attempt may still begin, which is
// the limit for waits of unknown length, as in a queue.
func (b Budget) Latest() int64 { return sub(b.end, max(1, b.useful)) }

// between returns how long it is from one instant to a later one, 0 if it is
// not later, saturating.
func between(from, to int64) time.Duration {
	if from >= to {
		return 0
	}
	if d := to - from; d > 0 {
		return time.Duration(d)
	}
	return math.MaxInt64 // the difference has overflowed
}

// sub returns t - d, saturating; never stays never.
func sub(t int64, d time.Duration) int64 {
	if d <= 0 || t == clock.Never {
		return t
	}
	if t < math.MinInt64+int64(d) {
		return math.MinInt64
	}
	return t - int64(d)
}

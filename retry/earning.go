package retry

import (
	"math"
	"sync/atomic"
	"time"
)

// earning grants retries from a balance that helpful retries pay back: each
// costs a token, a call that succeeds after k of them returns k, a call that
// succeeds at once earns a fraction of one. Tokens also trickle back with time.
// So retries that help are free and may be many; retries that do not help use
// up the balance and are then limited to the trickle.
//
// What is kept is not the balance but the instant at which the trickle alone
// would have filled it, as GCRA does for rates. A token is then a stretch of
// time: taking one moves the instant later, giving one back moves it earlier,
// and the passing of time needs no bookkeeping. An instant in the past is a
// full balance; how far it is in the past makes no difference, so no credit can
// exceed the maximum, in whatever order callers come.
type earning struct {
	token    int64 // ns that one token takes to trickle back
	earned   int64 // ns that a success without retries gives
	capacity int64 // ns that all tokens take
	last     int64 // the last instant that can be reckoned with

	full atomic.Int64
}

func newEarning(most int, earn, trickle float64) *earning {
	b := &earning{token: int64(math.Round(float64(time.Second) / trickle))}
	b.earned = int64(math.Round(earn * float64(b.token)))
	b.capacity = int64(most) * b.token
	b.last = math.MaxInt64 - b.capacity - b.token
	return b
}

func (b *earning) TakeAt(now int64) bool {
	now = b.reckon(now)
	for {
		full := b.full.Load()
		next := max(full, now) + b.token
		if next-now > b.capacity {
			return false
		}
		if b.full.CompareAndSwap(full, next) {
			return true
		}
	}
}

func (b *earning) ReturnAt(now int64) { b.give(now, b.token) }

func (b *earning) AttemptAt(int64, bool) {}

func (b *earning) DoneAt(now int64, ok bool, retries int) {
	switch {
	case !ok:
	case retries <= 0:
		b.give(now, b.earned)
	case int64(retries) >= b.capacity/b.token:
		b.give(now, b.capacity)
	default:
		b.give(now, int64(retries)*b.token)
	}
}

func (b *earning) BalanceAt(now int64) float64 {
	missing := max(b.full.Load()-b.reckon(now), 0)
	return max(float64(b.capacity-missing)/float64(b.token), 0)
}

// give writes nothing when no token is missing.
func (b *earning) give(now, credit int64) {
	if b.full.Load() > b.reckon(now) {
		b.full.Add(-credit)
	}
}

// reckon keeps now where sums with it cannot overflow. Instants before 0, the
// start of the clock, are that start.
func (b *earning) reckon(now int64) int64 { return min(max(now, 0), b.last) }

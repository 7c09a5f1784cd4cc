package stanch

import (
	"context"
	"math"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/clock"
)

// attempt is the context that a function gets. It is the one allocation of a
// guarded call.
type attempt struct {
	deadline.Context
	d       *Dependency  // in whose bulkhead it has a place; nil: none
	number  int32        // of the attempt
	holders atomic.Int32 // those beside the call itself: each Hold. Below 0: it is over
	open    atomic.Bool  // the time limit was for the answer, and that has come
	given   uint32       // how many milliseconds it has; math.MaxUint32: no limit
}

// The values of holders, below what any counting comes to, of an attempt that has
// ended with its function, and of one that was taken from whoever held it.
const (
	ended  = -1 << 31 // all that has come of it has: no holder, not even one that is letting go
	seized = -1 << 30
)

type attemptKey struct{}

func (a *attempt) Value(key any) any {
	switch key.(type) {
	case attemptKey:
		return a
	case deadline.AttemptKey:
		outer, _ := a.Context.Value(key).(int)
		return max(int(a.number), outer) // a first attempt for a retry is a retry
	}
	return a.Context.Value(key)
}

// attemptContext makes the context of the attempt that begins now.
func (c *call) attemptContext() context.Context {
	if t := &c.d.cfg.Timeout; t.Attempt == 0 && t.Total == 0 && t.Reserve == 0 && !c.place && c.number == 1 {
		return c.ctx // nothing to bound, to hold or to tell
	}
	a := c.newAttempt()
	a.number = int32(c.number)
	if c.place {
		a.d = c.d
	}
	c.attempt = a
	a.given = uint32(min(uint64(c.limit-c.now)/1e6, math.MaxUint32)) // in 49 days nobody sees the difference
	end := c.limit
	if c.bound == deadline.CallerDeadline && c.d.cfg.Timeout.Reserve == 0 {
		end = clock.Never // the caller's context ends it, with the caller's cause
	}
	a.Context.Init(c.ctx, &c.d.attempts, end)
	return a
}

// A Room is the context of one call of Do or Ask that has room for what the call
// allocates, which is the context of its first attempt. It is for adapters that
// allocate something for each call anyway, and is a part of that; Context is the
// caller's. A second call with it is like one with Context, unless Again is set.
// Calls with the same Room must not overlap in time.
type Room struct {
	context.Context
	// Again has later attempts, and calls, take the room of the one before, unless
	// that was held beyond its function. It is for those who know that nobody else
	// keeps the context of an attempt beyond it. The default is false.
	Again   bool
	attempt attempt
}

// newAttempt returns an attempt that nobody has used.
func (c *call) newAttempt() *attempt {
	if r, ok := c.ctx.(*Room); ok {
		if r.Again && r.attempt.holders.Load() == ended {
			r.attempt = attempt{}
		}
		if r.attempt.number == 0 {
			return &r.attempt
		}
	}
	return new(attempt)
}

// Given returns the time that the attempt with ctx, as its function has it, was
// given when it began, in whole milliseconds; ok is false if it has no limit. It
// is what the deadline says, for those who tell it somebody else at once, without
// a look at the clock.
func Given(ctx context.Context) (d time.Duration, ok bool) {
	a, ok := ctx.(*attempt)
	if !ok || a.given == math.MaxUint32 {
		return 0, false
	}
	return time.Duration(a.given) * time.Millisecond, true
}

// hold adds a holder, unless the last one has let go.
func (a *attempt) hold() bool {
	for {
		n := a.holders.Load()
		if n < 0 {
			return false
		}
		if a.holders.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// keep leaves the attempt's belongings to its holders, if there are any.
func (a *attempt) keep() bool {
	if a.holders.Load() == 0 && a.holders.CompareAndSwap(0, ended) {
		return false
	}
	if a.holders.Add(-1) == -1 {
		a.letGo() // the holders were quicker
	}
	return true
}

// seize takes the attempt's belongings from whoever holds them: after a panic
// nobody may be left who could release them.
func (a *attempt) seize() {
	if a.holders.Swap(seized) >= 0 {
		a.letGo()
	}
}

// letGo ends what the attempt has. It may have run out of time before anybody
// looked: since when it lingers, its deadline says. When its caller went is not
// known, and then it lingers from now.
func (a *attempt) letGo() {
	if a.d != nil {
		now := a.d.clock.Now()
		if !a.open.Load() && a.EndedAt(now) {
			a.d.bulkhead.AbandonedAt(min(now, a.End()), now)
		} else {
			a.d.bulkhead.ReleaseAt(now)
		}
	}
	a.Cancel()
}

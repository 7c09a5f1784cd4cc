package stanch

import (
	"context"
	"sync/atomic"

	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/clock"
)

// attempt is the context that a function gets. It is the one allocation of a
// guarded call.
type attempt struct {
	deadline.Context
	d       *Dependency  // whose bulkhead's place is kept; nil: none
	number  int32        // of the attempt
	holders atomic.Int32 // those beside the call itself: each Hold. Below 0: nobody holds it
	open    atomic.Bool  // the time limit was for the answer, and that has come
}

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
	a := &attempt{number: int32(c.number)}
	c.attempt = a
	end := c.limit
	if c.bound == deadline.CallerDeadline && c.d.cfg.Timeout.Reserve == 0 {
		end = clock.Never // the caller's context ends it, with the caller's cause
	}
	a.Context.Init(c.ctx, &c.d.attempts, end)
	return a
}

// Hold keeps what the current attempt holds beyond the return of its function:
// its context, with the deadline, and its place in the bulkhead. It is for
// adapters whose answer is still being read after the function returned, such
// as the body of an HTTP response. release must be called when it has been
// read; calling it again does nothing. After several Holds all must be
// released. When the function panics nothing is held any longer. Outside of a
// guarded call, and after its function has returned, Hold does nothing.
func Hold(ctx context.Context) (release func()) {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok || !a.hold() {
		return func() {}
	}
	var released atomic.Bool
	return func() {
		if released.CompareAndSwap(false, true) && a.holders.Add(-1) == -1 {
			a.letGo()
		}
	}
}

// HoldOpen is Hold for what begins with the answer and has no length of its own,
// such as a stream or a tunnel. The time limit was for the answer: when it has
// passed by the time of release, the place is free all the same, and does not
// linger as that of an attempt which was given up. The attempt's context still
// ends in time: what is held open must not hang on it.
func HoldOpen(ctx context.Context) (release func()) {
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
		a.open.Store(true)
	}
	return Hold(ctx)
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
func (a *attempt) keep(d *Dependency, place bool) bool {
	if a.holders.CompareAndSwap(0, -1) {
		return false
	}
	if place {
		a.d = d // published by the Add below
	}
	if a.holders.Add(-1) == -1 {
		a.letGo() // the holders were quicker
	}
	return true
}

// seize takes the attempt's belongings from whoever holds them: after a panic
// nobody may be left who could release them.
func (a *attempt) seize(d *Dependency, place bool) {
	if a.holders.Swap(-1<<30) < 0 {
		return // nothing is held any more
	}
	if place {
		a.d = d
	}
	a.letGo()
}

func (a *attempt) letGo() {
	if a.d != nil {
		how := over
		if a.Err() != nil && !a.open.Load() {
			how = abandoned
		}
		a.d.leave(a.d.clock.Now(), how)
	}
	a.Cancel()
}

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
	number int
	held   atomic.Pointer[hold]
}

type attemptKey struct{}

func (a *attempt) Value(key any) any {
	switch key.(type) {
	case attemptKey:
		return a
	case deadline.AttemptKey:
		return a.number
	}
	return a.Context.Value(key)
}

// attemptContext makes the context of the attempt that begins now.
func (c *call) attemptContext() context.Context {
	if c.limit == clock.Never && !c.place {
		return c.ctx // nothing to bound and nothing to hold
	}
	a := &attempt{number: c.number}
	a.Context.Init(c.ctx, c.d.clock, c.limit, ErrTimeout)
	c.attempt = a
	return a
}

// Hold keeps what the current attempt holds beyond the return of its function:
// its context, with the deadline, and its place in the bulkhead. It is for
// adapters whose answer is still being read after the function returned, such
// as the body of an HTTP response. release must be called when it has been
// read; calling it again does nothing. Outside of a guarded call Hold does
// nothing.
func Hold(ctx context.Context) (release func()) {
	a, ok := ctx.Value(attemptKey{}).(*attempt)
	if !ok {
		return func() {}
	}
	h := &hold{attempt: a}
	a.held.Store(h)
	return h.release
}

// hold passes an attempt's belongings from the call to whoever keeps them. The
// call's return and the release may come in either order: the second one of the
// two lets go.
type hold struct {
	attempt  *attempt
	d        *Dependency  // whose bulkhead's place is kept; nil: none
	steps    atomic.Int32 // 1: handed over, 2: released; each added once
	released atomic.Bool
}

// keep hands the attempt's belongings to its holder, if there is one.
func (a *attempt) keep(d *Dependency, place bool) bool {
	h := a.held.Load()
	if h == nil {
		return false
	}
	if place {
		h.d = d // published by the Add below
	}
	if h.steps.Add(1) == 3 {
		h.letGo()
	}
	return true
}

func (h *hold) release() {
	if h.released.CompareAndSwap(false, true) && h.steps.Add(2) == 3 {
		h.letGo()
	}
}

func (h *hold) letGo() {
	if h.d != nil {
		h.d.bulkhead.ReleaseAt(h.d.clock.Now())
	}
	h.attempt.Cancel()
}

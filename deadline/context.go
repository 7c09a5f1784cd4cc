package deadline

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// Context is a context.Context with a deadline, equal to one of
// context.WithDeadlineCause but cheaper: it costs one allocation, and no timer,
// until somebody asks for Done, directly or by deriving a cancellable context
// from it. Most calls are over before that; those that wait pay what the
// standard library costs, and are served by it, so that children register
// without a goroutine.
//
// Until Done is asked for, Err finds the end by looking at the parent and at
// the clock. A deadline that has passed unseen is overtaken by a cancellation,
// by Cancel or of the parent: Err then says context.Canceled. Whoever wants to
// know why a call ended looks before cancelling.
//
// Its methods are safe for concurrent use.
type Context struct {
	parent context.Context
	kind   *Kind
	end    int64 // Never if the parent's deadline is the earlier one

	// inner is a context of the standard library that does the work once Done,
	// or the reason of the end, has been asked for. It and cancel are written
	// under mu before state is armed, never after, and read only when it is. It
	// lies here and not behind a pointer, since to arm is on the way of every
	// call over a network.
	state  atomic.Uint32
	mu     sync.Mutex
	inner  context.Context
	cancel context.CancelFunc
}

const (
	idle     = iota
	canceled // before anybody needed an inner context
	armed
)

// Kind is what contexts for the same purpose have in common.
type Kind struct {
	Clock clock.Clock // that of their ends
	Cause error       // of their end, nil for context.DeadlineExceeded
}

// virtual is the inner context on a clock that is not the machine's.
type virtual struct {
	context.Context
	expire context.CancelCauseFunc
}

var _ context.Context = (*Context)(nil)

// WithTimeout returns a copy of parent that ends after d, with the given cause.
// It is New on the machine's clock.
func WithTimeout(parent context.Context, d time.Duration, cause error) *Context {
	return New(parent, clock.Real, clock.Add(clock.Real.Now(), d), cause)
}

// New returns a copy of parent that ends at the instant end of clk, or with the
// parent, whichever is earlier. When it ends at end, Err is
// context.DeadlineExceeded and context.Cause is cause (context.DeadlineExceeded
// if that is nil). Cancel must be called when the work is done.
//
// On a clock other than clock.Real no timer is ever armed: the Done channel is
// closed when Err notices that the end has come, when the parent ends or by
// Cancel. To contexts derived before that, the end is then a cancellation, and
// the cause is wrapped.
func New(parent context.Context, clk clock.Clock, end int64, cause error) *Context {
	c := &struct {
		Context
		kind Kind
	}{kind: Kind{clk, cause}}
	if d, ok := parent.Deadline(); ok && end != clock.Never && d.Before(clk.Wall(end)) {
		end = clock.Never
	}
	c.Init(parent, &c.kind, end)
	return &c.Context
}

// Init makes c, which must be zero, what New returns, for callers that have
// compared the deadlines already: end must not be later than the parent's, and
// is clock.Never to end with the parent. It is for types that embed a Context,
// so that both are one allocation.
func (c *Context) Init(parent context.Context, kind *Kind, end int64) {
	c.parent, c.kind, c.end = parent, kind, end
}

// Cancel ends the context, with context.Canceled if it has not ended before,
// and frees what it holds. Only the first call has an effect.
func (c *Context) Cancel() {
	if !c.state.CompareAndSwap(idle, canceled) && c.state.Load() == armed {
		c.cancel()
	}
}

// Deadline implements context.Context.
func (c *Context) Deadline() (time.Time, bool) {
	if c.end == clock.Never {
		return c.parent.Deadline()
	}
	return c.kind.Clock.Wall(c.end), true
}

// End returns the instant of the context's clock at which its deadline is,
// clock.Never if there is none.
func (c *Context) End() int64 {
	if c.end == clock.Never {
		if d, ok := c.parent.Deadline(); ok {
			return c.kind.Clock.Instant(d)
		}
	}
	return c.end
}

// Done implements context.Context. The first call arms the timer.
func (c *Context) Done() <-chan struct{} { return c.arm().Done() }

// Err implements context.Context.
func (c *Context) Err() error {
	if c.state.Load() == idle && c.parent.Err() == nil && !c.expired() {
		return nil
	}
	in := c.arm()
	err := in.Err()
	if c.kind.Clock == clock.Real {
		return err
	}
	if v, ok := in.(*virtual); ok && err == nil {
		switch { // what is seen once is so for good
		case c.parent.Err() == context.Canceled:
			v.expire(context.Cause(c.parent)) // its end may still be on the way
		case c.expired():
			v.expire(expiry{c.cause()})
		}
		err = in.Err()
	}
	if _, ok := context.Cause(in).(expiry); ok {
		err = context.DeadlineExceeded
	}
	if err == nil {
		err = c.parent.Err() // in virtual time a parent may end without a Done channel
	}
	return err
}

// EndedAt reports whether the context has ended by the instant, which must not be
// in the future. It is Err without a look at the clock.
func (c *Context) EndedAt(now int64) bool {
	if c.state.Load() == idle {
		return now >= c.end && c.end != clock.Never || c.parent.Err() != nil
	}
	return c.Err() != nil
}

// Value implements context.Context. It asks the inner context where there is
// one, because that is how the standard library finds the children's parent
// and the cause; it looks for these only after Done and Err.
func (c *Context) Value(key any) any {
	if c.state.Load() == armed {
		return c.inner.Value(key)
	}
	return c.parent.Value(key)
}

// String keeps fmt from reading the fields, which other goroutines may be writing.
func (c *Context) String() string {
	d, ok := c.Deadline()
	if !ok {
		return "deadline.Context(no deadline)"
	}
	return "deadline.Context(" + d.String() + ")"
}

func (c *Context) expired() bool { return c.end != clock.Never && c.kind.Clock.Now() >= c.end }

func (c *Context) cause() error {
	if c.kind.Cause == nil {
		return context.DeadlineExceeded
	}
	return c.kind.Cause
}

// arm returns the inner context and makes it first if need be.
func (c *Context) arm() context.Context {
	if c.state.Load() == armed {
		return c.inner
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		state := c.state.Load()
		if state == armed {
			return c.inner
		}
		c.inner, c.cancel = c.derive(state == canceled)
		if c.state.CompareAndSwap(state, armed) {
			return c.inner
		}
		c.cancel() // Cancel was quicker
	}
}

func (c *Context) derive(canceled bool) (context.Context, context.CancelFunc) {
	switch {
	case canceled:
		// The parent may have ended since; that must not show.
		in, cancel := context.WithCancel(context.WithoutCancel(c.parent))
		cancel()
		return in, cancel
	case c.end == clock.Never:
		return context.WithCancel(c.parent)
	case c.kind.Clock != clock.Real:
		if c.expired() && c.parent.Err() != context.Canceled {
			return c.bornEnded()
		}
		in, expire := context.WithCancelCause(c.parent)
		return &virtual{in, expire}, func() { expire(nil) }
	}
	in, cancel := context.WithDeadlineCause(c.parent, c.kind.Clock.Wall(c.end), c.cause())
	if in.Err() != nil && c.parent.Err() == context.DeadlineExceeded && c.expired() {
		cancel()
		return c.bornEnded() // the parent has run out of time as well, and ours was the earlier deadline
	}
	return in, cancel
}

// bornEnded returns a context whose deadline has passed. Any time that is past
// will do.
func (c *Context) bornEnded() (context.Context, context.CancelFunc) {
	return context.WithDeadlineCause(context.WithoutCancel(c.parent), time.Time{}, c.cause())
}

// expiry marks a cancellation as the deadline of a context without a timer.
type expiry struct{ cause error }

func (e expiry) Error() string { return e.cause.Error() }
func (e expiry) Unwrap() error { return e.cause }

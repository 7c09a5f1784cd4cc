package deadline

import (
	"context"
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
	clk    clock.Clock
	cause  error
	end    int64                 // Never if the parent's deadline is the earlier one
	inner  atomic.Pointer[inner] // nil until needed
}

// inner is a context of the standard library that does the work once Done, or
// the reason of the end, has been asked for.
type inner struct {
	context.Context
	cancel context.CancelFunc
	expire context.CancelCauseFunc // with a clock that is not the machine's
}

// canceled stands for a Context that was cancelled before it needed an inner one.
var canceled inner

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
	c := new(Context)
	c.Init(parent, clk, end, cause)
	return c
}

// Init makes c, which must be zero, what New returns. It is for types that
// embed a Context, so that both are one allocation.
func (c *Context) Init(parent context.Context, clk clock.Clock, end int64, cause error) {
	if cause == nil {
		cause = context.DeadlineExceeded
	}
	if d, ok := parent.Deadline(); ok && end != clock.Never && d.Before(clk.Wall(end)) {
		end = clock.Never
	}
	c.parent, c.clk, c.cause, c.end = parent, clk, cause, end
}

// Cancel ends the context, with context.Canceled if it has not ended before,
// and frees what it holds. Only the first call has an effect.
func (c *Context) Cancel() {
	if c.inner.CompareAndSwap(nil, &canceled) {
		return
	}
	if in := c.inner.Load(); in != &canceled {
		in.cancel()
	}
}

// Deadline implements context.Context.
func (c *Context) Deadline() (time.Time, bool) {
	if c.end == clock.Never {
		return c.parent.Deadline()
	}
	return c.clk.Wall(c.end), true
}

// Done implements context.Context. The first call arms the timer.
func (c *Context) Done() <-chan struct{} { return c.arm().Done() }

// Err implements context.Context.
func (c *Context) Err() error {
	if c.inner.Load() == nil && c.parent.Err() == nil && !c.expired() {
		return nil
	}
	in := c.arm()
	if c.clk == clock.Real {
		return in.Err()
	}
	if in.expire != nil && in.Err() == nil && c.expired() {
		in.expire(expiry{c.cause})
	}
	err := in.Err()
	if _, ok := context.Cause(in).(expiry); ok {
		err = context.DeadlineExceeded
	}
	if err == nil {
		err = c.parent.Err() // in virtual time a parent may end without a Done channel
	}
	return err
}

// Value implements context.Context. It asks the inner context where there is
// one, because that is how the standard library finds the children's parent
// and the cause; it looks for these only after Done and Err.
func (c *Context) Value(key any) any {
	if in := c.inner.Load(); in != nil && in != &canceled {
		return in.Value(key)
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

func (c *Context) expired() bool { return c.end != clock.Never && c.clk.Now() >= c.end }

// arm returns the inner context and makes it first if need be.
func (c *Context) arm() *inner {
	for {
		in := c.inner.Load()
		if in != nil && in != &canceled {
			return in
		}
		fresh := c.derive(in == &canceled)
		if c.inner.CompareAndSwap(in, fresh) {
			return fresh
		}
		fresh.cancel() // another goroutine was quicker
	}
}

func (c *Context) derive(canceled bool) *inner {
	in := new(inner)
	switch {
	case canceled:
		// The parent may have ended since; that must not show.
		in.Context, in.cancel = context.WithCancel(context.WithoutCancel(c.parent))
		in.cancel()
	case c.end == clock.Never:
		in.Context, in.cancel = context.WithCancel(c.parent)
	case c.expired() && c.parent.Err() != context.Canceled:
		// Any time that is past will do: the context is born ended. If the
		// parent has run out of time as well, ours was the earlier deadline.
		in.Context, in.cancel = context.WithDeadlineCause(context.WithoutCancel(c.parent), time.Time{}, c.cause)
	case c.clk == clock.Real:
		in.Context, in.cancel = context.WithDeadlineCause(c.parent, c.clk.Wall(c.end), c.cause)
	default:
		in.Context, in.expire = context.WithCancelCause(c.parent)
		in.cancel = func() { in.expire(nil) }
	}
	return in
}

// expiry marks a cancellation as the deadline of a context without a timer.
type expiry struct{ cause error }

func (e expiry) Error() string { return e.cause.Error() }
func (e expiry) Unwrap() error { return e.cause }

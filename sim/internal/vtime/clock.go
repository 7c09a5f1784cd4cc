package vtime

import (
	"context"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// Epoch is the wall time of the virtual instant 0.
var Epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Clock returns the scheduler's time as the clock of the module's own code.
// Only processes may wait on it. A wait ends early when its context ends, if
// the context is one that tells (see Canceler); other contexts are looked at
// only when a wait begins.
func (s *Scheduler) Clock() clock.Clock { return virtual{s} }

// A Canceler is a context that can end while a process waits. Wait calls
// OnCancel with the function to call then, and with nil when the wait is over.
type Canceler interface {
	OnCancel(func())
}

// CancelKey finds the Canceler in a chain of contexts.
type CancelKey struct{}

type virtual struct{ s *Scheduler }

func (v virtual) Now() int64                   { return v.s.now }
func (v virtual) Wall(instant int64) time.Time { return Epoch.Add(time.Duration(instant)) }
func (v virtual) Instant(t time.Time) int64    { return int64(t.Sub(Epoch)) }

func (v virtual) Sleep(ctx context.Context, until int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if until <= v.s.now {
		return nil
	}
	w := &v.s.current.sleeper // a process sleeps once at a time, and only its context wakes it
	*w = v.s.Waiter()
	if w.Wait(ctx, until) == clock.Canceled {
		return ctx.Err()
	}
	return nil
}

func (v virtual) NewWaiter() clock.Waiter {
	w := v.s.Waiter()
	return &w
}

// Waiter returns what NewWaiter of the Clock does, as a value, for those who
// keep it in something that they use again.
func (s *Scheduler) Waiter() Waiter { return Waiter{p: s.current} }

// A Waiter lets the process that made it wait for one wake. It is a
// clock.Waiter, and must not be copied once it is in use.
type Waiter struct {
	p       *process
	waiting bool
	woken   bool
}

// Wait implements clock.Waiter.
func (w *Waiter) Wait(ctx context.Context, until int64) clock.Ended {
	if w.woken {
		return clock.Woken
	}
	if c, ok := ctx.Value(CancelKey{}).(Canceler); ok {
		if ctx.Err() != nil {
			return clock.Canceled
		}
		c.OnCancel(func() { w.end(clock.Canceled) })
		defer c.OnCancel(nil)
	}
	w.waiting = true
	ended := w.p.wait(until)
	w.waiting = false // a wake that comes late must not disturb the process's next wait
	return ended
}

// Renew implements clock.Waiter.
func (w *Waiter) Renew() { *w = w.p.s.Waiter() }

// Wake implements clock.Waiter.
func (w *Waiter) Wake() { w.end(clock.Woken) }

func (w *Waiter) end(why clock.Ended) {
	if w.woken {
		return
	}
	w.woken = true
	if w.waiting {
		w.p.wake(why)
	}
}

package sim

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
)

var (
	errFailed  = outcome.Retryable(errors.New("sim: the dependency failed"))
	errRefused = outcome.Retryable(errors.New("sim: connection refused"))
	errFull    = outcome.Retryable(errors.New("sim: the service's queue is full"))
)

// dependency answers calls as its phases say. Abandoned calls are worked on to
// their end, as real ones are.
type dependency struct {
	w      *world
	name   string
	spec   *Dependency
	rand   *rand.Rand
	busy   int
	queue  []*work
	flight int
	free   *work
}

func newDependency(w *world, name string, d *Dependency) *dependency {
	return &dependency{w: w, name: name, spec: d, rand: w.stream()}
}

// work is one call inside the dependency. Its caller may be gone.
type work struct {
	d      *dependency
	phase  *Phase
	caller clock.Waiter
	failed bool
	next   *work
}

func (d *dependency) call(ctx *callContext) error {
	w := d.w
	now := w.sched.Now()
	p := d.spec.PhaseAt(now)
	w.rec.Arrived(d.name, now)
	if p.Refuse {
		return errRefused
	}
	c := d.free
	if c == nil {
		c = &work{d: d}
	} else {
		d.free = c.next
	}
	*c = work{d: d, phase: p, caller: w.clock.NewWaiter()}
	d.flight++
	w.rec.InFlight(d.name, now, d.flight)
	switch {
	case p.Hang:
	case p.Capacity > 0 && d.busy >= p.Capacity:
		d.queue = append(d.queue, c)
	default:
		d.begin(c)
	}
	switch c.caller.Wait(ctx.ctx, ctx.until) {
	case clock.Woken:
		failed := c.failed
		c.next, d.free = d.free, c
		if failed {
			return errFailed
		}
		return nil
	case clock.Expired:
		c.caller = nil
		return context.DeadlineExceeded
	}
	c.caller = nil
	return ctx.ctx.Err()
}

func (d *dependency) begin(c *work) {
	d.busy++
	d.w.sched.At(clock.Add(d.w.sched.Now(), c.phase.Latency.Draw(d.rand)), c)
}

// Fire ends the work on a call.
func (c *work) Fire() {
	d := c.d
	now := d.w.sched.Now()
	d.busy--
	d.flight--
	d.w.rec.InFlight(d.name, now, d.flight)
	c.failed = c.phase.Errors > 0 && d.rand.Float64() < c.phase.Errors
	if c.caller != nil {
		c.caller.Wake()
	} else {
		c.next, d.free = d.free, c
	}
	for limit := d.spec.PhaseAt(now).Capacity; len(d.queue) > 0 && (limit == 0 || d.busy < limit); {
		first := d.queue[0]
		d.queue = d.queue[1:]
		d.begin(first)
	}
}

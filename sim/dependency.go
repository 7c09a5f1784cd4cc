package sim

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/sim/internal/vtime"
)

var (
	errFailed  = outcome.Retryable(errors.New("sim: the dependency failed"))
	errRefused = outcome.Retryable(errors.New("sim: connection refused"))
	errFull    = outcome.Retryable(errors.New("sim: the service's queue is full"))
	errTurned  = outcome.Retryable(errors.New("sim: the service did not take it in"))
)

// dependency answers calls as its phases say. Abandoned calls are worked on to
// their end, as real ones are.
type dependency struct {
	w      *world
	name   string
	spec   *Dependency
	rand   *rand.Rand
	busy   int
	queue  fifo[work]
	flight int
	free   *work
}

func newDependency(w *world, name string, spec *Dependency) *dependency {
	d := &dependency{w: w, name: name, spec: spec, rand: w.stream("dependency/" + name)}
	for _, p := range spec.Phases[:len(spec.Phases)-1] {
		w.sched.At(int64(p.Until), d)
	}
	return d
}

// Fire begins a phase, which may have another capacity.
func (d *dependency) Fire() { d.drain(d.w.sched.Now()) }

// work is one call inside the dependency. Its caller may be gone.
type work struct {
	d      *dependency
	phase  *Phase
	caller vtime.Waiter
	act    func() // what there is to do, nil for nothing
	left   bool   // the caller is gone
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
	*c = work{d: d, phase: p, caller: w.sched.Waiter(), act: ctx.act}
	d.flight++
	w.rec.InFlight(d.name, now, d.flight)
	if !p.Hang {
		d.queue.push(c)
		d.drain(now)
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
		c.left = true
		return context.DeadlineExceeded
	}
	c.left = true
	return ctx.ctx.Err()
}

// drain begins the work on those that wait, as far as the capacity goes.
func (d *dependency) drain(now int64) {
	for limit := d.spec.PhaseAt(now).Capacity; limit == 0 || d.busy < limit; {
		c := d.queue.pop()
		if c == nil {
			return
		}
		d.busy++
		d.w.sched.At(clock.Add(now, c.phase.Latency.Draw(d.rand)), c)
	}
}

// Fire ends the work on a call.
func (c *work) Fire() {
	d := c.d
	now := d.w.sched.Now()
	d.busy--
	d.flight--
	d.w.rec.InFlight(d.name, now, d.flight)
	c.failed = c.phase.Errors > 0 && d.rand.Float64() < c.phase.Errors
	if c.act != nil && !c.failed {
		c.act()
	}
	if c.left {
		c.next, d.free = d.free, c
	} else {
		c.caller.Wake()
	}
	d.drain(now)
}

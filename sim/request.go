package sim

import (
	"context"
	"errors"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/shed"
	"github.com/stanch-go/stanch/sim/internal/vtime"
)

// End says how a request ended.
type End uint8

const (
	EndOK End = iota
	EndDegraded
	EndFailed
	EndRefused
	// EndTurned is a refusal at the service's door, by its inbound section: it got
	// no worker.
	EndTurned
)

// QueueFull is why a request was refused that found the service's own queue full.
const QueueFull = "queue_full"

// EndOf judges a guarded call by how many attempts it took and what came of it.
// A refused one has a reason.
func EndOf(attempts int, degraded bool, err error) (end End, reason string) {
	switch {
	case err == nil && degraded:
		return EndDegraded, ""
	case err == nil:
		return EndOK, ""
	case attempts > 0:
		return EndFailed, ""
	}
	if refusal, ok := errors.AsType[*stanch.Refusal](err); ok {
		return EndRefused, refusal.Reason.Label()
	}
	return EndRefused, canceled
}

// request is one request to a service, from a load or from another service. It
// is the process that a worker runs and the context of the calls it makes.
type request struct {
	w        *world
	route    *route
	arrived  int64
	deadline int64 // clock.Never: none
	attempt  int   // which attempt of its caller it is; 0 = not told
	visitor  Visitor
	rank     shed.Priority // under which it is counted: what it said, or was given
	passage  *passage      // its admission, nil without a door
	number   uint64        // counts those that use this memory

	// One of the two is waiting for the end.
	load   *load
	caller vtime.Waiter

	room      stanch.Room // what the library allocates for that call
	call      callContext // the call that it is making
	end       End
	reason    string
	again     time.Duration // when a refused one may come again, 0 if that is not known
	abandoned bool
	onCancel  func()
	next      *request
}

func (w *world) request() *request {
	r := w.free
	if r == nil {
		return &request{w: w}
	}
	w.free = r.next
	*r = request{w: w, number: r.number}
	return r
}

func (w *world) recycle(r *request) {
	r.number++
	r.next, w.free = w.free, r
}

// finish tells whoever waits for the request that it has ended.
func (r *request) finish() {
	w := r.w
	switch {
	case r.abandoned:
		w.rec.Orphan(w.sched.Now())
		w.recycle(r)
	case r.load == nil:
		r.caller.Wake()
	default:
		l, arrived := r.load, r.arrived
		w.rec.Ranked(r.rank, r.end)
		w.rec.Completed(l.index, arrived, w.sched.Now(), r.end, r.reason)
		w.recycle(r)
		l.answered(arrived)
	}
}

// abandon is called when the caller stops waiting.
func (r *request) abandon() {
	r.abandoned = true
	if r.onCancel != nil {
		r.onCancel()
	}
}

// A request is the context of its calls. It has no Done: in virtual time
// nothing waits on channels.

func (r *request) Deadline() (time.Time, bool) {
	if r.deadline == clock.Never {
		return time.Time{}, false
	}
	return r.w.clock.Wall(r.deadline), true
}

func (r *request) Done() <-chan struct{} { return nil }

func (r *request) Err() error {
	switch {
	case r.abandoned && r.route.s.spec.Cancels:
		return context.Canceled
	case r.w.sched.Now() >= r.deadline:
		return context.DeadlineExceeded
	}
	return nil
}

func (r *request) Value(key any) any {
	switch key.(type) {
	case vtime.CancelKey:
		if r.route.s.spec.Cancels {
			return r
		}
	case deadline.AttemptKey:
		return r.attempt
	}
	return nil
}

// OnCancel implements vtime.Canceler.
func (r *request) OnCancel(f func()) { r.onCancel = f }

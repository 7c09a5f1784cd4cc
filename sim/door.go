package sim

import (
	"time"

	"errors"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/outcome"
)

// door is where one instance of a service decides what it takes in. What it
// refuses holds no worker and takes no time.
type door struct {
	s       *service
	window  *fixedWindow        // nil: none
	control *inbound.Controller // nil: none
	seen    *doorRecord
	free    *passage
}

// passage is the process that brings one request through the door, and then what it
// holds until its end.
type passage struct {
	d         *door
	r         *request
	admission inbound.Admission
	next      *passage
}

// openDoors gives every instance of a service that has one its door.
func (w *world) openDoors(spec *Service, name string, all []*service) error {
	if spec.Inbound == nil && spec.FixedWindow == nil {
		return nil
	}
	var store *quotaStore
	if spec.Inbound != nil {
		store = newQuotaStore(w, spec, name)
	}
	for _, s := range all {
		if s.name != name {
			continue
		}
		s.door = &door{s: s, seen: w.rec.door(name)}
		if spec.FixedWindow != nil {
			s.door.window = &fixedWindow{FixedWindow: *spec.FixedWindow}
		}
		if spec.Inbound == nil {
			continue
		}
		options := []inbound.Option{inbound.WithClock(w.clock), inbound.WithSeed(w.seed("inbound/" + s.id)), inbound.WithObserver(s.door)}
		for q := range spec.Inbound.Quotas.All() {
			shared, err := store.quota(s.id, q)
			if err != nil {
				return err
			}
			options = append(options, inbound.WithQuota(q, shared))
		}
		var err error
		if s.door.control, err = inbound.New(name, spec.Inbound.Config(0), options...); err != nil {
			return err
		}
		w.sampler.watch(s.door)
	}
	return nil
}

// arrive brings a request to the door.
func (d *door) arrive(r *request) {
	e := d.free
	if e == nil {
		e = &passage{d: d}
	} else {
		d.free = e.next
	}
	e.r, r.passage = r, e
	d.s.w.sched.Go(e)
}

// Run takes the request in or refuses it.
func (e *passage) Run() {
	d, r := e.d, e.r
	if d.window != nil {
		now := d.s.w.sched.Now()
		again, ok := d.window.allowAt(now)
		d.seen.window(now, ok, d.control == nil)
		if !ok {
			r.turn(stanch.ErrRateLimited.Label(), again)
			return
		}
	}
	if d.control != nil {
		if err := e.admit(); err != nil {
			d.refuse(r, err)
			return
		}
	}
	if d.s.enter(r) {
		r.Run()
	}
}

// admit asks the very code that runs in production.
func (e *passage) admit() (err error) {
	r, v := e.r, &e.r.visitor
	e.admission, err = e.d.control.Admit(r, inbound.Request{
		Method: "GET", Path: r.route.path, Tenant: v.Tenant, User: v.User,
		Priority: v.Priority, HasPriority: v.HasPriority,
	})
	if !v.HasPriority {
		r.rank = e.admission.Priority()
	}
	v.Priority, v.HasPriority = e.admission.Priority(), true // for the calls that it makes
	if at, ok := e.admission.Deadline(); ok && err == nil {
		r.deadline = min(r.deadline, r.w.clock.Instant(at))
	}
	return err
}

func (d *door) refuse(r *request, err error) {
	if refusal, ok := errors.AsType[*stanch.Refusal](err); ok {
		r.turn(refusal.Reason.Label(), refusal.RetryAfter)
		return
	}
	r.turn(canceled, 0)
}

// turn ends the request at the door.
func (r *request) turn(reason string, again time.Duration) {
	r.end, r.reason, r.again = EndTurned, reason, again
	r.leaveDoor()
	r.finish()
}

// leaveDoor gives back what the request holds of the door.
func (r *request) leaveDoor() {
	e := r.passage
	if e == nil {
		return
	}
	r.passage = nil
	if e.d.control != nil {
		e.admission.Done(r.outcome())
	}
	e.r = nil
	e.admission = inbound.Admission{}
	e.next, e.d.free = e.d.free, e
}

// outcome is what the end of the request says about the service. An answer after
// its caller left is none.
func (r *request) outcome() outcome.Outcome {
	switch {
	case r.end == EndRefused || r.abandoned && r.route.s.spec.Cancels:
		return outcome.Ignored
	case r.end == EndFailed || r.w.sched.Now() > r.deadline:
		return outcome.Failure
	}
	return outcome.Success
}

// ObserveInbound takes the events of the controller.
func (d *door) ObserveInbound(e inbound.Event) { d.seen.observe(e) }

package sim

import (
	"fmt"
	"math/rand/v2"

	"github.com/stanch-go/stanch/internal/clock"
)

// load sends the requests of a Load.
type load struct {
	w      *world
	index  int
	spec   *Load
	route  *route
	sends  *Schedule // of an open loop
	who    *Visitors
	begins int64
	until  int64

	// Of a service with several instances.
	instances []*route
	spread    weights
	rand      *rand.Rand
	turn      int
}

func newLoad(w *world, name string, spec *Load) (*load, error) {
	t, err := w.resolve(spec.To)
	if err != nil {
		return nil, fmt.Errorf("loads.%s.to: %w", name, err)
	}
	l := &load{w: w, index: w.rec.Class(name), spec: spec, sends: spec.Schedule(w.model, w.stream("load/"+name))}
	l.begins, l.until = spec.Span(w.model)
	if spec.Introduces() {
		l.who = spec.Visitors(w.stream("load/" + name + "/visitors"))
	}
	switch t := t.(type) {
	case *route:
		l.route = t
		l.disperse(name)
	default:
		// Straight at a dependency: a client without a limit stands in between,
		// so that the load's calls can have a guard as well.
		client := newService(w, name, name, &Service{Calls: []string{spec.To}})
		if err := client.connect(); err != nil {
			return nil, err
		}
		l.route = client.routes[0]
	}
	return l, nil
}

func (l *load) start() {
	if l.spec.Clients > 0 {
		for range l.spec.Clients {
			l.next(l.begins)
		}
		return
	}
	l.schedule()
}

// Fire sends a request.
func (l *load) Fire() {
	w := l.w
	r := w.request()
	r.load, r.route, r.arrived, r.deadline = l, l.pick(), w.sched.Now(), clock.Never
	if l.who != nil {
		r.visitor = l.who.Next()
		r.rank = r.visitor.Priority
	}
	w.rec.Sent(l.index, r.arrived)
	if l.spec.Clients == 0 {
		l.schedule()
	}
	if l.spec.Deadline > 0 {
		r.deadline = clock.Add(r.arrived, l.spec.Deadline)
		w.sched.At(r.deadline, leaving{r, r.number})
	}
	r.route.s.arrive(r)
}

// leaving is the end of a client's patience.
type leaving struct {
	r      *request
	number uint64
}

// Fire lets the client leave, if it still waits.
func (e leaving) Fire() {
	r := e.r
	if r.number != e.number || r.abandoned || r.load == nil {
		return
	}
	l, w := r.load, r.w
	w.rec.Ranked(r.rank, EndFailed)
	w.rec.Completed(l.index, r.arrived, w.sched.Now(), EndFailed, "")
	arrived := r.arrived
	r.abandon()
	l.answered(arrived)
}

// disperse prepares for several instances of the service.
func (l *load) disperse(name string) {
	l.instances = l.route.instances
	if z := l.spec.Spread.Zipf; z > 0 {
		l.rand = l.w.stream("load/" + name + "/spread")
		for i := range l.instances {
			l.spread.add(zipf(i, z))
		}
	}
}

// pick chooses the instance that gets the next request.
func (l *load) pick() *route {
	switch {
	case len(l.instances) < 2:
		return l.route
	case l.rand != nil:
		return l.instances[l.spread.draw(l.rand)]
	}
	l.turn++
	return l.instances[(l.turn-1)%len(l.instances)]
}

// next sends a request at the instant, unless the load is over by then.
func (l *load) next(at int64) {
	if at < l.until {
		l.w.sched.At(at, l)
	}
}

// answered lets the client of a closed loop think and send again. A client that
// had its answer in no time at all, such as a refusal at the door, and does not
// think, would send for ever at the same instant.
func (l *load) answered(arrived int64) {
	if l.spec.Clients == 0 {
		return
	}
	now, think := l.w.sched.Now(), l.spec.Think
	if think == 0 && now == arrived {
		think = defaultAnswer
	}
	l.next(clock.Add(now, think))
}

// schedule sends the next request of an open loop.
func (l *load) schedule() {
	if at, ok := l.sends.Next(); ok {
		l.w.sched.At(at, l)
	}
}

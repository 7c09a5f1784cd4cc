package sim

import (
	"fmt"

	"github.com/stanch-go/stanch/internal/clock"
)

// load sends the requests of a Load.
type load struct {
	w      *world
	index  int
	spec   *Load
	route  *route
	sends  *Schedule // of an open loop
	begins int64
	until  int64
}

func newLoad(w *world, name string, spec *Load) (*load, error) {
	t, err := w.resolve(spec.To)
	if err != nil {
		return nil, fmt.Errorf("loads.%s.to: %w", name, err)
	}
	l := &load{w: w, index: w.rec.Class(name), spec: spec, sends: spec.Schedule(w.model, w.stream("load/"+name))}
	l.begins, l.until = spec.Span(w.model)
	switch t := t.(type) {
	case *route:
		l.route = t
	default:
		// Straight at a dependency: a client without a limit stands in between,
		// so that the load's calls can have a guard as well.
		client := newService(w, name, &Service{Calls: []string{spec.To}})
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
	r.load, r.route, r.arrived, r.deadline = l, l.route, w.sched.Now(), clock.Never
	w.rec.Sent(l.index, r.arrived)
	if l.spec.Clients == 0 {
		l.schedule()
	}
	l.route.s.arrive(r)
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

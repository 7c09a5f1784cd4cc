package sim

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
)

// service is a Service with its queue, its workers and its guards.
type service struct {
	w      *world
	name   string
	id     string
	spec   *Service
	rand   *rand.Rand
	busy   int
	queue  fifo[request]
	routes []*route
	door   *door // nil: it takes everything in
}

// route is one kind of request to a service, with its calls bound to their
// targets.
type route struct {
	s     *service
	name  string
	path  string
	work  Latency
	calls []*bound

	instances []*route // the same route of each, in the first one
	turn      int
}

// bound is a call that a route makes: the target behind its guard.
type bound struct {
	w           *world
	to          target
	guard       *stanch.Dependency // nil: the call is bare
	alternative []stanch.Alternative[struct{}]
	alone       bool
}

// newService makes one instance of a service, id being what tells it from others.
func newService(w *world, name, id string, spec *Service) *service {
	s := &service{w: w, name: name, id: id, spec: spec, rand: w.stream("service/" + id)}
	s.routes = append(s.routes, &route{s: s, path: "/", work: spec.Work})
	for _, r := range spec.Routes {
		s.routes = append(s.routes, &route{s: s, name: r.Key, path: "/" + r.Key, work: r.Value.Work})
	}
	return s
}

// newInstances makes all instances of a service. The first knows the others.
func newInstances(w *world, name string, spec *Service) []*service {
	all := []*service{newService(w, name, name, spec)}
	for i := 1; i < spec.Count(); i++ {
		all = append(all, newService(w, name, fmt.Sprintf("%s/%d", name, i+1), spec))
	}
	for _, s := range all {
		for i, r := range s.routes {
			first := all[0].routes[i]
			first.instances = append(first.instances, r)
		}
	}
	return all
}

func (s *service) route(name string) (*route, error) {
	for _, r := range s.routes {
		if r.name == name {
			return r, nil
		}
	}
	return nil, fmt.Errorf("service %q has no route %q", s.name, name)
}

// connect binds the calls once all targets are there. A service has one guard
// for each target, whichever of its routes calls it.
func (s *service) connect() error {
	pools, err := s.w.model.NewPools()
	if err != nil {
		return err
	}
	guards := map[string]*bound{}
	for i, r := range s.routes {
		calls := s.spec.Calls
		if i > 0 {
			calls = s.spec.Routes[i-1].Value.Calls
		}
		for _, to := range calls {
			if guards[to] == nil {
				if guards[to], err = s.w.bind(s.id, to, pools); err != nil {
					return fmt.Errorf("services.%s.calls: %w", s.name, err)
				}
			}
			r.calls = append(r.calls, guards[to])
		}
	}
	return nil
}

// bind puts the policy's guard, if there is one, before the target.
func (w *world) bind(caller, to string, pools map[string]*bulkhead.Pool) (*bound, error) {
	t, err := w.resolve(to)
	if err != nil {
		return nil, err
	}
	b := &bound{w: w, to: t}
	g, ok := w.model.Policy.Get(to)
	if !ok || g.Bare() {
		return b, nil
	}
	b.alone = g.Alone
	b.guard, err = g.Build(to, pools, stanch.WithClock(w.clock), stanch.WithSeed(w.seed("guard/"+caller+" to "+to)), stanch.WithObserver(w.rec))
	if err != nil {
		return nil, err
	}
	if name := g.Answer(); name != "" {
		b.alternative = []stanch.Alternative[struct{}]{stanch.Static(name, struct{}{})}
	}
	return b, nil
}

// arrive takes a request in, through the door if there is one.
func (s *service) arrive(r *request) {
	if s.door != nil {
		s.door.arrive(r)
	} else if s.enter(r) {
		s.w.sched.Go(r)
	}
}

// enter takes a request to a worker, which is to run it if that is true. If not
// it is in the queue, or not taken in at all.
func (s *service) enter(r *request) bool {
	switch {
	case s.spec.Workers == 0 || s.busy < s.spec.Workers:
		s.busy++
		return true
	case s.spec.Queue == Unbounded || s.queue.len() < int(s.spec.Queue):
		s.queue.push(r)
		s.w.rec.Queued(s.name, s.w.sched.Now(), s.queue.len())
	default:
		r.end = EndRefused
		r.reason = QueueFull
		r.leaveDoor()
		r.finish()
	}
	return false
}

// leave gives the worker to the next in the queue.
func (s *service) leave() {
	if next := s.queue.pop(); next != nil {
		s.w.rec.Queued(s.name, s.w.sched.Now(), s.queue.len())
		s.w.sched.Go(next)
		return
	}
	s.busy--
}

// Run handles the request on a worker.
func (r *request) Run() {
	s := r.route.s
	calls := 0
	if d := r.route.work.Draw(s.rand); d > 0 {
		if s.w.clock.Sleep(r, clock.Add(s.w.sched.Now(), d)) != nil {
			r.end = EndFailed
		}
	}
	for _, b := range r.route.calls {
		if r.end == EndFailed || r.end == EndRefused {
			break
		}
		calls += b.do(r)
	}
	if calls == 0 && len(r.route.calls) > 0 {
		_ = s.w.clock.Sleep(context.Background(), s.w.sched.Now()+int64(s.spec.AnswerTime()))
	}
	s.leave()
	r.leaveDoor()
	r.finish()
}

// do makes the call for the request, records how it ended and returns how many
// attempts it took.
func (b *bound) do(r *request) int {
	if b.guard == nil {
		r.call = callContext{ctx: r, from: r, until: r.deadline}
		if err := b.to.call(&r.call); err != nil {
			r.end = EndFailed
		}
		return 1
	}
	attempts := 0
	r.room = stanch.Room{Context: r, Again: true}
	answer, err := stanch.Ask(&r.room, b.guard, func(ctx context.Context) (struct{}, error) {
		attempts++
		r.call = callContext{ctx: ctx, from: r, alone: b.alone, until: clock.Never}
		if at, ok := ctx.Deadline(); ok {
			r.call.until = b.w.clock.Instant(at)
		}
		return struct{}{}, b.to.call(&r.call)
	}, b.alternative...)
	if end, reason := EndOf(attempts, answer.Degraded(), err); end != EndOK {
		r.end, r.reason = end, reason
	}
	return attempts
}

// callContext is what a target sees of a call.
type callContext struct {
	ctx   context.Context
	from  *request // nil if it is not for one
	until int64
	alone bool
	act   func() // what it does at its target, when the work is done
}

// call sends a request to the service and waits for its answer.
func (r *route) call(c *callContext) error {
	w := r.s.w
	child := w.request()
	if n := len(r.instances); n > 1 {
		r.turn++
		r = r.instances[(r.turn-1)%n]
	}
	child.route, child.arrived, child.deadline = r, w.sched.Now(), clock.Never
	child.caller = w.sched.Waiter()
	if !c.alone {
		child.deadline = c.until
		child.attempt = deadline.AttemptOf(c.ctx)
		child.visitor = c.from.visitor
	}
	r.s.arrive(child)
	switch child.caller.Wait(c.ctx, c.until) {
	case clock.Woken:
		end, again := child.end, child.again
		w.recycle(child)
		switch end {
		case EndFailed:
			return errFailed
		case EndRefused:
			return errFull
		case EndTurned:
			if again > 0 {
				return outcome.After(errTurned, again)
			}
			return errTurned
		}
		return nil
	case clock.Expired:
		child.abandon()
		return context.DeadlineExceeded
	}
	child.abandon()
	return c.ctx.Err()
}

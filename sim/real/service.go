package real

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/sim"
)

// service is a sim.Service with its queue, its workers and its guards.
type service struct {
	w      *world
	name   string
	spec   *sim.Service
	rand   *rand.Rand
	line   line
	routes map[string]*route
	inner  http.Handler
	// control is nil without an inbound section.
	control *inbound.Controller
}

// route is one kind of request to a service.
type route struct {
	work  sim.Latency
	names []string
	calls []*caller
}

func newService(w *world, name string, spec *sim.Service) *service {
	s := &service{w: w, name: name, spec: spec, rand: w.stream()}
	s.line.queued = func(n int) { w.rec.Queued(name, w.now(), n) }
	s.routes = map[string]*route{"": {work: spec.Work, names: spec.Calls}}
	for name, r := range spec.Routes.All() {
		s.routes[name] = &route{work: r.Work, names: r.Calls}
	}
	return s
}

// connect builds the callers once everything listens. A service has one for each
// target, whichever of its routes calls it.
func (s *service) connect() (err error) {
	if s.inner, err = s.open(http.HandlerFunc(s.answer)); err != nil {
		return err
	}
	pools, err := s.w.model.NewPools()
	if err != nil {
		return err
	}
	callers := map[string]*caller{}
	for _, r := range s.routes {
		for _, to := range r.names {
			if callers[to] == nil {
				if callers[to], err = s.w.newCaller(to, pools); err != nil {
					return fmt.Errorf("services.%s.calls: %w", s.name, err)
				}
			}
			r.calls = append(r.calls, callers[to])
		}
	}
	return nil
}

// ServeHTTP takes in a request. Unless the service notices when its caller has
// left, the request's context is the run's.
func (s *service) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	s.w.active.Add(1)
	defer s.w.active.Add(-1)
	caller := r.Context()
	if !s.spec.Cancels {
		r = r.WithContext(s.w.run)
	}
	s.inner.ServeHTTP(rw, r)
	if caller.Err() != nil && !s.w.over() {
		s.w.rec.Orphan(s.w.now())
	}
}

func (s *service) answer(rw http.ResponseWriter, r *http.Request) {
	route, ok := s.routes[r.URL.Path[1:]]
	if !ok {
		http.NotFound(rw, r)
		return
	}
	writeEnd(rw, s.handle(visiting(r.Context(), introduced(r)), route))
}

// handle takes the request to a worker and lets it have it to its end.
func (s *service) handle(ctx context.Context, r *route) ending {
	if !s.line.enter(s.spec.Workers, int(s.spec.Queue), s.w.run.Done()) {
		return ending{sim.EndRefused, sim.QueueFull}
	}
	defer s.line.leave(s.spec.Workers)
	var end ending
	if s.pause(ctx, r.work.Draw(s.rand)) != nil {
		end.how = sim.EndFailed
	}
	attempts := 0
	for _, c := range r.calls {
		if end.how == sim.EndFailed || end.how == sim.EndRefused {
			break
		}
		e, n := c.call(ctx)
		if e.how != sim.EndOK {
			end = e
		}
		attempts += n
	}
	if attempts == 0 && len(r.calls) > 0 {
		_ = s.pause(s.w.run, s.spec.AnswerTime()) // only the end of the run ends it early
	}
	return end
}

// pause keeps the worker for a while. A deadline does not end it early: work is
// work.
func (s *service) pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !s.spec.Cancels {
		ctx = s.w.run
	}
	return s.w.until(ctx, clock.Add(s.w.now(), d))
}

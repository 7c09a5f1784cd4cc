package real

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/internal/random"
	"github.com/stanch-go/stanch/sim"
)

// world is a model that has come to life.
type world struct {
	model    *sim.Model
	rec      *sim.Recorder
	seeds    *rand.Rand         // the seeds of all random streams
	names    map[string]*server // every service and dependency
	services []*service
	loads    []*load
	servers  []*server

	start  int64           // the instant 0, as clock.Real tells it
	run    context.Context // ends with the run; everything waits in it
	stop   context.CancelCauseFunc
	active atomic.Int64   // clients and requests that are not done
	owned  sync.WaitGroup // the goroutines of the loads
	places chan struct{}  // for the requests of open loops
}

// newWorld builds everything and lets servers listen, but not yet serve. What it
// returns is to be closed, also with an error.
func newWorld(ctx context.Context, m *sim.Model) (*world, error) {
	w := &world{
		model: m, rec: sim.NewRecorder(m), seeds: random.New(m.Seed),
		names: map[string]*server{}, places: make(chan struct{}, maxOutstanding),
	}
	w.run, w.stop = context.WithCancelCause(ctx)
	for i := range m.Dependencies {
		d := &m.Dependencies[i]
		if err := w.listen(d.Key, newDependency(w, d.Key, &d.Value)); err != nil {
			return w, err
		}
	}
	for i := range m.Services {
		d := &m.Services[i]
		s := newService(w, d.Key, &d.Value)
		w.services = append(w.services, s)
		if err := w.listen(d.Key, s); err != nil {
			return w, err
		}
	}
	for _, s := range w.services {
		if err := s.connect(); err != nil {
			return w, err
		}
	}
	for i := range m.Loads {
		l, err := newLoad(w, m.Loads[i].Key, &m.Loads[i].Value)
		if err != nil {
			return w, err
		}
		w.loads = append(w.loads, l)
	}
	return w, nil
}

func (w *world) listen(name string, h http.Handler) error {
	s, err := listen(w.run, h)
	if err != nil {
		return err
	}
	w.names[name] = s
	w.servers = append(w.servers, s)
	return nil
}

// begin starts the time, the servers and the loads.
func (w *world) begin() {
	w.start = clock.Real.Now()
	for _, s := range w.servers {
		s.serve(w.fail)
	}
	for _, s := range w.services {
		if s.control != nil {
			w.owned.Go(s.sample)
		}
	}
	for _, l := range w.loads {
		l.begin()
	}
}

// close ends everything and waits for its end. Clients' connections end with the
// servers'.
func (w *world) close() {
	w.stop(nil)
	w.owned.Wait()
	for _, s := range w.servers {
		s.close()
	}
}

// fail ends the run because the machine could not play it.
func (w *world) fail(err error) { w.stop(fault{err}) }

// fault returns what the run failed of.
func (w *world) fault() error {
	if f, ok := context.Cause(w.run).(fault); ok {
		return fmt.Errorf("real time: %w", f.error)
	}
	return nil
}

type fault struct{ error }

// over reports whether the run has ended. What ends because of that has no
// result.
func (w *world) over() bool { return w.run.Err() != nil }

// spawn runs f on a goroutine that close waits for.
func (w *world) spawn(f func()) {
	w.active.Add(1)
	w.owned.Go(func() {
		defer w.active.Add(-1)
		f()
	})
}

// now is the instant in nanoseconds from the start.
func (w *world) now() int64 { return clock.Real.Now() - w.start }

// until waits for an instant, unless ctx ends before.
func (w *world) until(ctx context.Context, at int64) error {
	return clock.Real.Sleep(ctx, clock.Add(w.start, time.Duration(at)))
}

// stream returns a random stream of its own for each participant.
func (w *world) stream() *rand.Rand { return random.New(w.seeds.Uint64()) }

// url returns where the target "name" or "name/route" is.
func (w *world) url(to string) (string, error) {
	name, route, _ := strings.Cut(to, "/")
	s, ok := w.names[name]
	if !ok {
		return "", fmt.Errorf("no service or dependency is called %q", name)
	}
	return s.url() + "/" + url.PathEscape(route), nil
}

// observe takes the guards' events, which tell the machine's time.
func (w *world) observe(e stanch.Event) {
	e.At -= w.start
	w.rec.Observe(e)
}

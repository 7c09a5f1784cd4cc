package real

import (
	"math/rand/v2"
	"net/http"
	"sync"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/sim"
)

// dependency answers calls as its phases say. It works on those to their end
// whose caller has left.
type dependency struct {
	w    *world
	name string
	spec *sim.Dependency
	rand *rand.Rand
	line line

	mu     sync.Mutex
	flight int
}

func newDependency(w *world, name string, spec *sim.Dependency) *dependency {
	return &dependency{w: w, name: name, spec: spec, rand: w.stream()}
}

func (d *dependency) ServeHTTP(rw http.ResponseWriter, _ *http.Request) {
	arrived := d.w.now()
	p := d.spec.PhaseAt(arrived)
	d.w.rec.Arrived(d.name, arrived)
	// A connection that is refused or cut would be tried again by net/http on its
	// own account; an answer at once is counted once.
	if p.Refuse || !d.work(p) {
		rw.WriteHeader(http.StatusServiceUnavailable)
	}
}

// work works on a call and reports whether it succeeded.
func (d *dependency) work(p *sim.Phase) bool {
	d.inFlight(1)
	defer d.inFlight(-1)
	run := d.w.run
	if p.Hang {
		<-run.Done()
		return false
	}
	if !d.line.enter(p.Capacity, int(sim.Unbounded), run.Done()) {
		return false
	}
	defer func() { d.line.leave(d.spec.PhaseAt(d.w.now()).Capacity) }()
	if d.w.until(run, clock.Add(d.w.now(), p.Latency.Draw(d.rand))) != nil {
		return false
	}
	return p.Errors == 0 || d.rand.Float64() >= p.Errors
}

// inFlight notes under the lock, so that notes do not overtake each other.
func (d *dependency) inFlight(change int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.flight += change
	d.w.rec.InFlight(d.name, d.w.now(), d.flight)
}

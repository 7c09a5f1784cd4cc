package sim

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/internal/random"
	"github.com/stanch-go/stanch/sim/internal/vtime"
)

const (
	defaultDrain  = time.Minute
	defaultAnswer = time.Millisecond
)

// world is a Model that has come to life.
type world struct {
	model    *Model
	sched    *vtime.Scheduler
	clock    clock.Clock
	rec      *Recorder
	services map[string]*service
	depends  map[string]*dependency
	loads    []*load
	sampler  *sampler
	free     *request
}

// PlayVirtual runs the model in virtual time. halt, when not nil, is asked now
// and then whether to stop early; the figures are then those so far.
func PlayVirtual(m *Model, halt func() bool) (VariantResult, error) {
	if err := m.Validate(); err != nil {
		return VariantResult{}, err
	}
	w, err := newWorld(m)
	if err != nil {
		return VariantResult{}, err
	}
	defer w.sched.Close()
	for _, l := range w.loads {
		l.start()
	}
	w.sched.Run(int64(m.End()), halt)
	return w.rec.Result(), nil
}

func newWorld(m *Model) (*world, error) {
	w := &world{
		model: m, sched: new(vtime.Scheduler), rec: NewRecorder(m),
		services: map[string]*service{}, depends: map[string]*dependency{},
	}
	w.clock = w.sched.Clock()
	w.sampler = &sampler{w: w, every: sampleEvery(m)}
	for i := range m.Dependencies {
		d := &m.Dependencies[i]
		w.depends[d.Key] = newDependency(w, d.Key, &d.Value)
	}
	var all []*service
	for i := range m.Services {
		s := &m.Services[i]
		instances := newInstances(w, s.Key, &s.Value)
		w.services[s.Key] = instances[0]
		all = append(all, instances...)
	}
	for _, s := range all {
		if err := s.connect(); err != nil {
			return nil, err
		}
	}
	for i := range m.Services {
		if err := w.openDoors(&m.Services[i].Value, m.Services[i].Key, all); err != nil {
			return nil, err
		}
	}
	for i := range m.Loads {
		l, err := newLoad(w, m.Loads[i].Key, &m.Loads[i].Value)
		if err != nil {
			return nil, err
		}
		w.loads = append(w.loads, l)
	}
	return w, nil
}

// stream returns a participant's own random stream, so that its draws change
// nobody else's.
func (w *world) stream(participant string) *rand.Rand { return random.New(w.seed(participant)) }

// seed depends on the model's seed and the participant's name only: whoever is
// added or taken away, such as a guard in another variant, the others draw what
// they drew before.
func (w *world) seed(participant string) uint64 {
	name := fnv.New64a()
	name.Write([]byte(participant))
	return random.NewSource(w.model.Seed ^ name.Sum64()).Uint64()
}

// A target is what a call can be made to.
type target interface {
	// call makes the call on behalf of parent and waits for its end, no longer
	// than ctx allows.
	call(ctx *callContext) error
}

// resolve finds the target "name" or "name/route".
func (w *world) resolve(to string) (target, error) {
	name, route, _ := strings.Cut(to, "/")
	if d, ok := w.depends[name]; ok && route == "" {
		return d, nil
	}
	if s, ok := w.services[name]; ok {
		r, err := s.route(route)
		return r, err
	}
	return nil, fmt.Errorf("no service or dependency is called %q", to)
}

// Build makes the guard's Dependency for one caller. pools are that caller's.
func (g *Guard) Build(name string, pools map[string]*bulkhead.Pool, options ...stanch.Option) (*stanch.Dependency, error) {
	if b := g.Policy.Bulkhead; b.Pool != "" {
		pool, ok := pools[b.Pool]
		if !ok {
			return nil, fmt.Errorf("policy.%s.bulkhead.pool: there is no pool %q", name, b.Pool)
		}
		share, err := pool.Share(name, b.Share())
		if err != nil {
			return nil, fmt.Errorf("policy.%s.bulkhead: %w", name, err)
		}
		options = append(options, stanch.WithBulkhead(share))
	}
	return stanch.New(name, g.Policy.Config(), options...)
}

// NewPools makes the pools of one caller.
func (m *Model) NewPools() (map[string]*bulkhead.Pool, error) {
	pools := map[string]*bulkhead.Pool{}
	for _, p := range m.Pools {
		pool, err := bulkhead.NewPool(p.Value)
		if err != nil {
			return nil, fmt.Errorf("pools.%s: %w", p.Key, err)
		}
		pools[p.Key] = pool
	}
	return pools, nil
}

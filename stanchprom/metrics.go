package stanchprom

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/internal/clock"
)

// Metrics counts the calls of dependencies. It is an Observer: give it to each of
// them with stanch.WithObserver. Its methods are safe for concurrent use. An event
// takes no lock and allocates nothing, once its dependency and source are known.
type Metrics struct {
	tallies atomic.Pointer[map[string]*tally] // copied when one is added

	mu      sync.Mutex // guards adding, and watched
	watched map[string]*stanch.Dependency
}

// New returns Metrics that are registered with reg. The error is that of the
// registration, for instance that there are such metrics already.
func New(reg prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{watched: map[string]*stanch.Dependency{}}
	m.tallies.Store(&map[string]*tally{})
	if err := reg.Register(Collector(m.samples)); err != nil {
		return nil, err
	}
	return m, nil
}

// Watch lets the breaker, the bulkhead and the budget of dependencies be read at
// each scrape. Of several with the same name the last one is.
func (m *Metrics) Watch(dependencies ...*stanch.Dependency) {
	for _, d := range dependencies {
		if m.tally(d.Name()).name == d.Name() { // not among those beyond the bound
			m.mu.Lock()
			m.watched[d.Name()] = d
			m.mu.Unlock()
		}
	}
}

// Observe implements stanch.Observer.
func (m *Metrics) Observe(e stanch.Event) { m.tally(e.Dependency).observe(e) }

func (m *Metrics) tally(name string) *tally {
	if t := (*m.tallies.Load())[name]; t != nil {
		return t
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return added(&m.tallies, name, MaxDependencies, func(name string) *tally { return &tally{name: name} })
}

// added returns what is known by a name, or by other when there are most of them
// already or the name cannot be a label, and adds it if it is new. The caller holds the lock for adding; readers
// need none.
func added[T any](known *atomic.Pointer[map[string]*T], name string, most int, create func(string) *T) *T {
	var old map[string]*T
	if p := known.Load(); p != nil {
		old = *p
	}
	if old[name] == nil && (len(old) >= most || !utf8.ValidString(name)) { // Prometheus takes nothing else
		name = other
	}
	if x := old[name]; x != nil {
		return x
	}
	now := maps.Clone(old)
	if now == nil {
		now = map[string]*T{}
	}
	now[name] = create(name)
	known.Store(&now)
	return now[name]
}

func (m *Metrics) samples() []Sample {
	tallies := *m.tallies.Load()
	now := clock.Real.Now()
	var out []Sample
	for _, name := range slices.Sorted(maps.Keys(tallies)) {
		s := tallies[name].sample()
		m.mu.Lock()
		d := m.watched[name]
		m.mu.Unlock()
		if d != nil {
			s.read(d, now)
		}
		out = append(out, s)
	}
	return out
}

// read adds the state of a dependency's guards.
func (s *Sample) read(d *stanch.Dependency, now int64) {
	if b := d.Breaker(); b != nil {
		s.Breaker = b.StateAt(now).String()
	}
	if b := d.Bulkhead(); b != nil {
		s.Bulkhead = new(b.StatsAt(now))
	}
	if b := d.Budget(); b != nil {
		s.Balance = new(b.BalanceAt(now))
	}
}

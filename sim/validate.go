package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxDuration and maxClients keep a slip of the finger from playing for days.
const (
	maxDuration = 24 * time.Hour
	maxClients  = 1_000_000
	maxRate     = 1_000_000
)

// Validate returns every fault that shows only between the parts of a model.
func (m *Model) Validate() error {
	var f faults
	f.check(m.Duration > 0 && m.Duration <= maxDuration, "duration: must be above 0 and at most %v, is %v", maxDuration, m.Duration)
	f.check(m.Drain >= 0 && m.Drain <= maxDuration, "drain: must be between 0 and %v, is %v", maxDuration, m.Drain)
	f.check(m.Fault.From >= 0 && m.Fault.To >= m.Fault.From, "fault: from must not be negative, nor after to")
	f.check(m.Windows.Width == 0 || m.Windows.Width >= time.Millisecond, "windows.width: must be at least 1ms, is %v", m.Windows.Width)
	f.check(m.Windows.From >= 0 && (m.Windows.To == 0 || m.Windows.To > m.Windows.From), "windows: from must be before to")
	f.check(len(m.Loads) > 0, "loads: without a load nothing happens")
	for name := range m.Services.All() {
		_, twice := m.Dependencies.Get(name)
		f.check(!twice, "services.%s: there is a dependency of that name as well", name)
		f.check(!strings.Contains(name, "/"), "services.%s: a name must not have a slash", name)
	}
	for name, s := range m.Services.All() {
		for _, to := range s.Calls {
			m.checkTarget(&f, "services."+name+".calls", to)
		}
		for route, r := range s.Routes.All() {
			for _, to := range r.Calls {
				m.checkTarget(&f, "services."+name+".routes."+route+".calls", to)
			}
		}
	}
	m.checkCircle(&f)
	for name, l := range m.Loads.All() {
		m.checkTarget(&f, "loads."+name+".to", l.To)
	}
	for name, size := range m.Pools.All() {
		f.check(size > 0, "pools.%s: must be positive, is %d", name, size)
	}
	for name, g := range m.Policy.All() {
		m.checkTarget(&f, "policy."+name, name)
		_, known := m.Pools.Get(g.Pool)
		f.check(g.Pool == "" || known, "policy.%s.pool: there is no pool %q", name, g.Pool)
		f.check(g.Pool == "" || g.Bulkhead.Limit == 0, "policy.%s.pool: a guard has a share of a pool or a bulkhead of its own, not both", name)
	}
	return f.err()
}

func (m *Model) checkTarget(f *faults, path, to string) {
	name, route, routed := strings.Cut(to, "/")
	if _, ok := m.Dependencies.Get(name); ok && !routed {
		return
	}
	s, ok := m.Services.Get(name)
	if !ok {
		f.add("%s: no service or dependency is called %q", path, name)
		return
	}
	if _, ok := s.Routes.Get(route); routed && !ok {
		f.add("%s: service %q has no route %q", path, name, route)
	}
}

// checkCircle refuses services that call each other in a circle: a request
// would never end.
func (m *Model) checkCircle(f *faults) {
	state := map[string]int{} // 1: on the way, 2: done
	var visit func(name string) bool
	visit = func(name string) bool {
		name, _, _ = strings.Cut(name, "/")
		s, ok := m.Services.Get(name)
		if !ok || state[name] == 2 {
			return false
		}
		if state[name] == 1 {
			return true
		}
		state[name] = 1
		calls := slices.Clone(s.Calls)
		for _, r := range s.Routes.All() {
			calls = append(calls, r.Calls...)
		}
		circle := slices.ContainsFunc(calls, visit)
		state[name] = 2
		return circle
	}
	for name := range m.Services.All() {
		if visit(name) {
			f.add("services.%s: calls lead back to it in a circle", name)
			return
		}
	}
}

// Validate returns every fault of the service's own settings.
func (s Service) Validate() error {
	var f faults
	f.check(s.Workers >= 0, "workers: must not be negative, is %d", s.Workers)
	f.check(s.Workers > 0 || s.Queue == 0, "queue: has no effect without workers")
	f.check(s.Answer >= 0, "answer: must not be negative, is %v", s.Answer)
	return f.err()
}

// Validate returns every fault of the dependency's phases.
func (d Dependency) Validate() error {
	var f faults
	f.check(len(d.Phases) > 0, "phases: needs at least one")
	var last time.Duration
	for i, p := range d.Phases {
		end := i == len(d.Phases)-1
		f.check(!end || p.Until == 0, "phases: the last phase holds on; it must not say until")
		f.check(end || p.Until > last, "phases: phase %d must end after %v, ends at %v", i+1, last, p.Until)
		last = p.Until
	}
	return f.err()
}

// Validate returns every fault of one phase.
func (p Phase) Validate() error {
	var f faults
	f.check(p.Until >= 0, "until: must not be negative, is %v", p.Until)
	f.check(p.Errors >= 0 && p.Errors <= 1, "errors: is a share between 0 and 1, is %v", p.Errors)
	f.check(p.Capacity >= 0, "capacity: must not be negative, is %d", p.Capacity)
	f.check(!p.Refuse || !p.Hang, "hang: a phase refuses or hangs, not both")
	f.check(!p.Refuse && !p.Hang || p.Latency == (Latency{}), "latency: has no effect in a phase that refuses or hangs")
	return f.err()
}

// Validate returns every fault of the load.
func (l Load) Validate() error {
	var f faults
	kinds := 0
	for _, used := range []bool{l.Clients != 0, l.Rate != 0, len(l.Trace) > 0} {
		if used {
			kinds++
		}
	}
	f.check(kinds == 1, "to: a load is exactly one of clients, rate and trace")
	f.check(l.Clients >= 0 && l.Clients <= maxClients, "clients: must be between 0 and %d, is %d", maxClients, l.Clients)
	f.check(l.Rate >= 0 && l.Rate <= maxRate, "rate: must be between 0 and %d a second, is %v", maxRate, l.Rate)
	f.check(l.Think >= 0, "think: must not be negative, is %v", l.Think)
	f.check(l.Clients > 0 || l.Think == 0, "think: has no effect without clients")
	f.check(l.Rate > 0 || l.Arrivals == "", "arrivals: has no effect without a rate")
	f.check(l.From >= 0, "from: must not be negative, is %v", l.From)
	f.check(l.Until == 0 || l.Until > l.From, "until: must be after from (%v), is %v", l.From, l.Until)
	f.check(slices.IsSorted(l.Trace), "trace: instants must be in order")
	f.check(len(l.Trace) == 0 || l.Trace[0] >= 0, "trace: instants must not be negative")
	return f.err()
}

// faults collects errors that begin with the path of what is wrong.
type faults []error

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Errorf(format, args...)) }

func (f *faults) check(ok bool, format string, args ...any) {
	if !ok {
		f.add(format, args...)
	}
}

func (f faults) err() error { return errors.Join(f...) }

package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxDuration and its like keep a slip of the finger from playing for days or
// filling the memory.
const (
	maxDuration = 24 * time.Hour
	maxClients  = 1_000_000
	maxRate     = 1_000_000
	maxWindows  = 1_000_000

	maxInstances = 1000
)

// Validate returns every fault of the model, joined; each begins with the path
// of what is wrong. PlayVirtual asks it.
func (m *Model) Validate() error { return append(m.parts(), m.between()...).err() }

// parts returns the faults that each part of the model knows of itself.
func (m *Model) parts() (f faults) {
	for name, s := range m.Services.All() {
		f.under(at("services", name), s.Validate())
	}
	for name, d := range m.Dependencies.All() {
		f.under(at("dependencies", name), d.Validate())
	}
	for name, l := range m.Loads.All() {
		f.under(at("loads", name), l.Validate())
	}
	for name, g := range m.Policy.All() {
		f.under(at("policy", name), g.Policy.Validate())
	}
	return f
}

// between returns the faults that show only between the parts.
func (m *Model) between() (f faults) {
	f.check(m.Duration > 0 && m.Duration <= maxDuration, "duration: must be above 0 and at most %v, is %v", maxDuration, m.Duration)
	f.check(m.Drain >= 0 && m.Drain <= maxDuration, "drain: must be between 0 and %v, is %v", maxDuration, m.Drain)
	f.check(m.Fault.From >= 0 && m.Fault.To >= m.Fault.From, "fault: from must not be negative, nor after to")
	m.checkWindows(&f)
	f.check(len(m.Loads) > 0, "loads: without a load nothing happens")
	for name, s := range m.Services.All() {
		_, twice := m.Dependencies.Get(name)
		f.check(!twice, "%s: there is a dependency of that name as well", at("services", name))
		f.check(!strings.Contains(name, "/"), "%s: a name must not have a slash", at("services", name))
		m.checkTargets(&f, at("services", name, "calls"), s.Calls...)
		for route, r := range s.Routes.All() {
			m.checkTargets(&f, at("services", name, "routes", route, "calls"), r.Calls...)
		}
		m.checkStore(&f, name, s)
	}
	for name, l := range m.Loads.All() {
		m.checkTargets(&f, at("loads", name, "to"), l.To)
	}
	for name, size := range m.Pools.All() {
		f.check(size > 0, "%s: must be positive, is %d", at("pools", name), size)
	}
	for name, g := range m.Policy.All() {
		m.checkTargets(&f, at("policy", name), name)
		pool := g.Policy.Bulkhead.Pool
		_, known := m.Pools.Get(pool)
		f.check(pool == "" || known, "%s: there is no pool %q", at("policy", name, "bulkhead", "pool"), pool)
	}
	if len(f) == 0 {
		m.checkCircle(&f)
		m.checkShares(&f)
	}
	return f
}

func (m *Model) checkWindows(f *faults) {
	w := m.Windows
	if w.Width != 0 && w.Width < time.Millisecond {
		f.add("windows.width: must be at least 1ms, is %v", w.Width)
		return
	}
	if w.From < 0 || w.To != 0 && w.To <= w.From {
		f.add("windows: from must be before to")
		return
	}
	end := w.To
	if end == 0 {
		end = min(max(m.Duration, 0), maxDuration) + min(max(m.Drain, defaultDrain), maxDuration)
	}
	n := (end - w.From) / w.width()
	f.check(n <= maxWindows, "windows: are %d, more than %d; make them wider or the span shorter", int64(n), maxWindows)
}

// checkStore: the store of quotas is a dependency, to which there is no guard but
// the quota's own.
func (m *Model) checkStore(f *faults, name string, s Service) {
	if s.QuotaStore == "" {
		return
	}
	_, ok := m.Dependencies.Get(s.QuotaStore)
	f.check(ok, "%s: no dependency is called %q", at("services", name, "quota_store"), s.QuotaStore)
	_, guarded := m.Policy.Get(s.QuotaStore)
	f.check(!guarded, "%s: a quota asks its store without a guard", at("policy", s.QuotaStore))
}

func (m *Model) checkTargets(f *faults, path string, targets ...string) {
	for _, to := range targets {
		name, route, routed := strings.Cut(to, "/")
		if _, ok := m.Dependencies.Get(name); ok && !routed {
			continue
		}
		s, ok := m.Services.Get(name)
		if !ok {
			f.add("%s: no service or dependency is called %q", path, name)
			continue
		}
		if _, ok := s.Routes.Get(route); routed && !ok {
			f.add("%s: service %q has no route %q", path, name, route)
		}
	}
}

// calls returns what a service, or one route of it, calls.
func (m *Model) calls(target string) []string {
	name, route, routed := strings.Cut(target, "/")
	s, _ := m.Services.Get(name)
	if !routed {
		return s.Calls
	}
	r, _ := s.Routes.Get(route)
	return r.Calls
}

// checkCircle refuses services that call each other in a circle: a request
// would never end.
func (m *Model) checkCircle(f *faults) {
	state := map[string]int{} // 1: on the way, 2: done
	var visit func(target string) bool
	visit = func(target string) bool {
		if state[target] != 0 {
			return state[target] == 1
		}
		state[target] = 1
		circle := slices.ContainsFunc(m.calls(target), visit)
		state[target] = 2
		return circle
	}
	for name, s := range m.Services.All() {
		circle := visit(name)
		for route := range s.Routes.All() {
			circle = visit(name+"/"+route) || circle
		}
		if circle {
			f.add("%s: calls lead back to it in a circle", at("services", name))
			return
		}
	}
}

// checkShares makes every caller's pools, as a run does.
func (m *Model) checkShares(f *faults) {
	callers := [][]string{}
	for name, s := range m.Services.All() {
		targets := m.calls(name)
		for _, r := range s.Routes.All() {
			targets = slices.Concat(targets, r.Calls)
		}
		callers = append(callers, targets)
	}
	for _, l := range m.Loads.All() {
		callers = append(callers, []string{l.To})
	}
	for _, targets := range callers {
		pools, err := m.NewPools()
		if err != nil {
			f.add("%w", err)
			return
		}
		seen := map[string]bool{}
		for _, to := range targets {
			g, _ := m.Policy.Get(to)
			b := g.Policy.Bulkhead
			if b.Pool == "" || seen[to] {
				continue
			}
			seen[to] = true
			if _, err := pools[b.Pool].Share(to, b.Share()); err != nil {
				f.add("%s: %w", at("policy", to, "bulkhead"), err)
			}
		}
	}
}

// Validate returns every fault of the service's own settings.
func (s Service) Validate() error {
	var f faults
	f.check(s.Workers >= 0, "workers: must not be negative, is %d", s.Workers)
	f.check(s.Queue >= Unbounded, "queue: must not be negative, is %d", s.Queue)
	f.check(s.Workers > 0 || s.Queue == 0, "queue: has no effect without workers")
	f.check(s.Answer >= 0, "answer: must not be negative, is %v", s.Answer)
	f.under("work", s.Work.Validate())
	for name, r := range s.Routes.All() {
		f.under(at("routes", name, "work"), r.Work.Validate())
	}
	f.check(s.Instances >= 0 && s.Instances <= maxInstances, "instances: must be between 0 and %d, is %d", maxInstances, s.Instances)
	if s.Inbound != nil {
		f.under("inbound", s.Inbound.Validate())
	}
	if s.FixedWindow != nil {
		f.under("fixed_window", s.FixedWindow.Validate())
	}
	return f.err()
}

// Validate returns every fault of the dependency's phases.
func (d Dependency) Validate() error {
	var f faults
	f.check(len(d.Phases) > 0, "phases: needs at least one")
	var last time.Duration
	for i, p := range d.Phases {
		f.under(fmt.Sprintf("phases[%d]", i), p.Validate())
		end := i == len(d.Phases)-1
		f.check(!end || p.Until == 0, "phases[%d].until: the last phase holds on; it must not say until", i)
		f.check(end || p.Until > last, "phases[%d].until: must be after %v, is %v", i, last, p.Until)
		last = max(last, p.Until)
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
	f.under("latency", p.Latency.Validate())
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

// under adds the faults of the part at the path, which begin with its fields.
func (f *faults) under(path string, err error) {
	if err == nil {
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			f.under(path, e)
		}
		return
	}
	f.add("%s.%w", path, err)
}

func (f faults) err() error { return errors.Join(f...) }

// at joins the keys to a path as package strict reads it.
func at(section string, keys ...string) string {
	for _, k := range keys {
		if strings.ContainsFunc(k, func(r rune) bool {
			return !(r == '_' || r == '-' || r == '/' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
		}) {
			section += "[" + strconv.Quote(k) + "]"
		} else {
			section += "." + k
		}
	}
	return section
}

package sim

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/adaptive"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/retry"
)

func drawMillis(t *rapid.T, low, high int, label string) time.Duration {
	return time.Duration(rapid.IntRange(low, high).Draw(t, label)) * time.Millisecond
}

func drawLatency(t *rapid.T, label string) Latency {
	d := drawMillis(t, 0, 60, label)
	switch rapid.IntRange(0, 4).Draw(t, label+" form") {
	case 0:
		return Latency{Mean: d}
	case 1:
		return Latency{P50: d + 1, P99: 3*d + 2}
	case 2:
		return Latency{Min: d / 2, Max: d}
	}
	return Latency{Constant: d}
}

func drawPhase(t *rapid.T) Phase {
	switch rapid.IntRange(0, 5).Draw(t, "phase") {
	case 0:
		return Phase{Refuse: true}
	case 1:
		return Phase{Hang: true}
	}
	return Phase{
		Latency:  drawLatency(t, "latency"),
		Errors:   rapid.SampledFrom([]float64{0, 0, 0.3, 1}).Draw(t, "errors"),
		Capacity: rapid.IntRange(0, 4).Draw(t, "capacity"),
	}
}

func drawGuard(t *rapid.T) Guard {
	if rapid.Bool().Draw(t, "standard") {
		return Guard{Policy: policy.FromConfig(stanch.Standard(drawMillis(t, 1, 50, "attempt"))), Alternative: rapid.SampledFrom([]string{"", "old"}).Draw(t, "alternative")}
	}
	g := Guard{Alone: rapid.Bool().Draw(t, "alone")}
	on := func(label string) bool { return rapid.Bool().Draw(t, label) }
	if on("timeout") {
		attempt := drawMillis(t, 1, 50, "attempt")
		g.Policy.Timeout = deadline.Config{Attempt: attempt, Total: attempt + drawMillis(t, 0, 100, "more")}
	}
	if on("retry") {
		g.Policy.Retry = retry.Config{Attempts: rapid.IntRange(1, 4).Draw(t, "attempts"), Base: drawMillis(t, 1, 20, "base")}
	}
	if on("breaker") {
		g.Policy.Breaker = breaker.Config{Consecutive: rapid.IntRange(1, 5).Draw(t, "consecutive"), Cooldown: drawMillis(t, 1, 100, "cooldown")}
	}
	if on("bulkhead") {
		g.Policy.Bulkhead = policy.Bulkhead{Config: bulkhead.Config{Limit: rapid.IntRange(1, 5).Draw(t, "limit")}}
	}
	if on("alternative") {
		g.Alternative = "old"
	}
	return g
}

// drawInbound draws what a service takes in.
func drawInbound(t *rapid.T) *policy.Inbound {
	in := &policy.Inbound{Deadline: drawMillis(t, 0, 80, "most time")}
	in.Priorities.Trust = rapid.Bool().Draw(t, "trust")
	if rapid.Bool().Draw(t, "limited") {
		in.Limits = append(in.Limits, entry("l", inbound.Limit{By: rapid.SampledFrom([]inbound.By{"", inbound.Tenant}).Draw(t, "by"), Rate: rapid.Float64Range(1, 300).Draw(t, "limit")}))
	}
	if rapid.Bool().Draw(t, "quota") {
		q := policy.Quota{Store: "redis://r:1"}
		q.Rate = rapid.Float64Range(1, 300).Draw(t, "quota rate")
		q.Mode = rapid.SampledFrom([]quota.Mode{quota.ModeCentral, quota.ModeLeased}).Draw(t, "mode")
		in.Quotas = append(in.Quotas, entry("q", q))
	}
	in.Concurrency.Limit = rapid.IntRange(0, 4).Draw(t, "concurrency")
	if rapid.Bool().Draw(t, "adaptive") {
		in.Concurrency.Adaptive = &adaptive.Config{Initial: 3}
	}
	return in
}

// drawModel draws a small world: up to three dependencies, two layers of
// services, some with guards, open and closed loads.
func drawModel(t *rapid.T, guards, faults bool) *Model {
	m := &Model{Seed: rapid.Uint64().Draw(t, "seed"), Duration: drawMillis(t, 50, 400, "duration"), Drain: drawMillis(t, 1, 400, "drain")}
	var targets []string
	for i := range rapid.IntRange(1, 3).Draw(t, "dependencies") {
		name := fmt.Sprint("d", i)
		d := Dependency{Phases: []Phase{{Latency: drawLatency(t, "latency")}}}
		if faults {
			d.Phases = nil
			for at, last := time.Duration(0), rapid.IntRange(0, 2).Draw(t, "phases"); ; last-- {
				p := drawPhase(t)
				if at += drawMillis(t, 1, 200, "until"); last > 0 {
					p.Until = at
				}
				d.Phases = append(d.Phases, p)
				if last == 0 {
					break
				}
			}
		}
		m.Dependencies = append(m.Dependencies, entry(name, d))
		targets = append(targets, name)
	}
	if guards && rapid.Bool().Draw(t, "store") {
		m.Dependencies = append(m.Dependencies, entry("store", Dependency{Phases: []Phase{drawPhase(t)}}))
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "services") {
		name := fmt.Sprint("s", i)
		s := Service{
			Workers: rapid.IntRange(0, 4).Draw(t, "workers"), Cancels: rapid.Bool().Draw(t, "cancels"), Work: drawLatency(t, "work"),
			Calls: rapid.SliceOfN(rapid.SampledFrom(targets), 0, 3).Draw(t, "calls"),
		}
		if s.Workers > 0 {
			s.Queue = Queue(rapid.IntRange(-1, 5).Draw(t, "queue"))
		}
		if guards && rapid.Bool().Draw(t, "door") {
			s.Inbound = drawInbound(t)
			if len(m.Dependencies) > 0 && m.Dependencies[len(m.Dependencies)-1].Key == "store" {
				s.QuotaStore = "store"
			}
		}
		if guards && rapid.IntRange(0, 3).Draw(t, "window") == 0 {
			s.FixedWindow = &FixedWindow{Rate: rapid.IntRange(1, 20).Draw(t, "window rate"), Window: drawMillis(t, 10, 300, "window")}
		}
		m.Services = append(m.Services, entry(name, s))
		targets = append(targets, name)
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "loads") {
		l := Load{To: rapid.SampledFrom(targets).Draw(t, "to")}
		if rapid.Bool().Draw(t, "open") {
			l.Rate = rapid.Float64Range(1, 500).Draw(t, "rate")
			l.Arrivals = rapid.SampledFrom([]Arrivals{Even, Poisson}).Draw(t, "arrivals")
		} else {
			l.Clients, l.Think = rapid.IntRange(1, 10).Draw(t, "clients"), drawMillis(t, 0, 30, "think")
		}
		if guards {
			l.Deadline = drawMillis(t, 0, 60, "deadline")
			l.Users = rapid.IntRange(0, 5).Draw(t, "users")
			l.Tenant = Tenants{Number: rapid.IntRange(0, 3).Draw(t, "tenants")}
			if rapid.Bool().Draw(t, "priority") {
				l.Priority = Shares{entry("critical-plus", 1.0), entry("sheddable", 2.0)}
			}
		}
		m.Loads = append(m.Loads, entry(fmt.Sprint("l", i), l))
	}
	if guards {
		for _, to := range targets {
			if rapid.Bool().Draw(t, "guarded") {
				m.Policy = append(m.Policy, entry(to, drawGuard(t)))
			}
		}
	}
	return m
}

func answered(m Metrics) int64 {
	n := m.OK + m.Degraded + m.Failed + m.Hung
	for _, refused := range m.Refused {
		n += refused
	}
	return n
}

// Whatever the world, every request is counted once, every call that is made
// is counted, and no limit is passed.
func TestEverythingIsCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, true, true)
		r, seen := playTapped(t, m)
		if len(seen.broken) > 0 {
			t.Fatal(seen.broken)
		}
		if r.Metrics.Requests != answered(r.Metrics) || r.Metrics.Hung < 0 {
			t.Fatalf("%d requests, but %d ends: %+v", r.Metrics.Requests, answered(r.Metrics), r.Metrics)
		}
		var sum Metrics
		for name, c := range r.Classes {
			if c.Requests != answered(c) {
				t.Fatalf("%s: %d requests, but %d ends: %+v", name, c.Requests, answered(c), c)
			}
			sum.Requests += c.Requests
			sum.OK += c.OK
			sum.Degraded += c.Degraded
			sum.Failed += c.Failed
			sum.Hung += c.Hung
		}
		if all := r.Metrics; sum.Requests != all.Requests || sum.OK != all.OK || sum.Degraded != all.Degraded || sum.Failed != all.Failed || sum.Hung != all.Hung {
			t.Fatalf("the classes make %+v, all together %+v", sum, r.Metrics)
		}
		var ranked int64
		for _, p := range r.Priorities {
			ranked += p.Requests
		}
		if r.Priorities != nil && ranked != r.Metrics.Requests-r.Metrics.Hung {
			t.Fatalf("%d of %d requests have a priority", ranked, r.Metrics.Requests)
		}
		for name, d := range r.Services {
			if s, _ := m.Services.Get(name); s.Inbound != nil && s.Inbound.Concurrency.Limit > 0 && d.PeakInFlight > s.Inbound.Concurrency.Limit {
				t.Fatalf("%s: %d in flight", name, d.PeakInFlight)
			}
			for q, of := range d.Quotas {
				if of.Admitted < d.Admitted || d.RefusedBy[q] != of.Refused {
					t.Fatalf("%s: the quota admitted %d and refused %d, the service %d and %d", name, of.Admitted, of.Refused, d.Admitted, d.RefusedBy[q])
				}
			}
		}
		for name, d := range r.Dependencies {
			if name != "store" && int64(seen.calls[name]) != d.Calls { // whose calls are not of the model

				t.Fatalf("%s: %d calls were made, %d were counted", name, seen.calls[name], d.Calls)
			}
			var windows int64
			for _, n := range d.Windows.Counts {
				windows += n
			}
			if windows != d.Calls {
				t.Fatalf("%s: %d calls, %d in windows", name, d.Calls, windows)
			}
		}
	})
}

// Without a fault and without a guard nobody fails, and not more calls are in
// flight than workers can make.
func TestNothingFailsByItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, false, false)
		r, seen := playTapped(t, m)
		if len(seen.broken) > 0 {
			t.Fatal(seen.broken)
		}
		refused := 0
		for _, s := range m.Services.All() {
			if s.Workers > 0 && s.Queue >= 0 {
				refused++ // its queue may be full, and a caller behind it fails
			}
		}
		if refused == 0 && (r.Metrics.Failed > 0 || r.Metrics.Degraded > 0 || len(r.Metrics.Refused) > 0) {
			t.Fatalf("there is no fault, but %+v", r.Metrics)
		}
		for name, d := range r.Dependencies {
			limit := 0
			for _, s := range m.Services.All() {
				if slices.Contains(s.Calls, name) {
					if limit += s.Workers; s.Workers == 0 {
						limit = 1 << 40
					}
				}
			}
			for _, l := range m.Loads.All() {
				if l.To == name {
					if limit += l.Clients; l.Clients == 0 {
						limit = 1 << 40
					}
				}
			}
			if d.PeakInFlight > limit {
				t.Fatalf("%s: %d in flight, callers can make %d", name, d.PeakInFlight, limit)
			}
		}
	})
}

// A queue is left in the order in which it was joined. Requests whose own work
// takes equally long make their calls in the order of their arrival.
func TestQueuesKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawModel(t, false, true)
		for i := range m.Services {
			s := &m.Services[i].Value
			s.Work = Latency{Constant: drawMillis(t, 0, 10, "constant work")}
			s.Calls = s.Calls[:min(1, len(s.Calls))]
		}
		_, seen := playTapped(t, m)
		for name, arrived := range seen.arrived {
			if seen.services[name] != nil && !slices.IsSorted(arrived) {
				t.Fatalf("%s served out of order: %v", name, arrived)
			}
		}
	})
}

func entry[T any](key string, value T) strict.Entry[T] {
	return strict.Entry[T]{Key: key, Value: value}
}

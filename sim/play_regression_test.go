package sim_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/sim"
)

// turns stops a run that does not end by itself.
func turns(t *testing.T, m *sim.Model) sim.VariantResult {
	t.Helper()
	asked := 0
	r, err := sim.PlayVirtual(m, func() bool { asked++; return asked > 1000 })
	if err != nil {
		t.Fatal(err)
	}
	if asked > 1000 {
		t.Fatal("virtual time does not pass")
	}
	return r
}

// Clients without think time whose answer takes no time at all once sent for
// ever at the same instant. It needs no odd file: more clients than workers and
// places in the queue do.
func TestClientsDoNotSpin(t *testing.T) {
	for name, m := range map[string]*sim.Model{
		"a full queue": {
			Services: sim.Map[sim.Service]{{Key: "page", Value: sim.Service{Workers: 2, Queue: 1, Calls: []string{"db"}}}},
			Loads:    sim.Map[sim.Load]{{Key: "users", Value: sim.Load{To: "page", Clients: 5}}},
		},
		"no work at all": {
			Services: sim.Map[sim.Service]{{Key: "page", Value: sim.Service{}}},
			Loads:    sim.Map[sim.Load]{{Key: "users", Value: sim.Load{To: "page", Clients: 5}}},
		},
		"a refusal":      {Loads: sim.Map[sim.Load]{{Key: "users", Value: sim.Load{To: "down", Clients: 5}}}},
		"a quick answer": {Loads: sim.Map[sim.Load]{{Key: "users", Value: sim.Load{To: "quick", Clients: 5}}}},
	} {
		m.Duration = time.Second
		m.Dependencies = sim.Map[sim.Dependency]{
			{Key: "db", Value: sim.Dependency{Phases: []sim.Phase{{Latency: sim.Latency{Constant: 10 * time.Millisecond}}}}},
			{Key: "down", Value: sim.Dependency{Phases: []sim.Phase{{Refuse: true}}}},
			{Key: "quick", Value: sim.Dependency{Phases: []sim.Phase{{}}}},
		}
		r := turns(t, m)
		if name != "a full queue" && r.Metrics.Requests != 5000 {
			t.Errorf("%s: %d requests, want 5 every millisecond", name, r.Metrics.Requests)
		}
		// Three are served in turn, two knock every millisecond.
		if refused := r.Metrics.Refused["queue_full"]; name == "a full queue" && (refused < 1900 || refused > 2100 || r.Metrics.OK < 190) {
			t.Errorf("%s: %+v", name, r.Metrics)
		}
	}
}

// A rate so small that the next request lies beyond the end of all time once
// wrapped around and sent for ever at once.
func TestSlowRatesDoNotWrap(t *testing.T) {
	for _, arrivals := range []sim.Arrivals{sim.Even, sim.Poisson} {
		r := turns(t, &sim.Model{
			Duration:     time.Second,
			Dependencies: sim.Map[sim.Dependency]{{Key: "db", Value: sim.Dependency{Phases: []sim.Phase{{}}}}},
			Loads:        sim.Map[sim.Load]{{Key: "users", Value: sim.Load{To: "db", Rate: 1e-300, Arrivals: arrivals}}},
		})
		if r.Metrics.Requests > 1 {
			t.Errorf("%s: %d requests", arrivals, r.Metrics.Requests)
		}
	}
}

// When a new phase had more capacity, calls that arrived in it once overtook
// those that were waiting, and those waited until one of them was finished.
func TestMoreCapacityServesTheQueue(t *testing.T) {
	const ms = time.Millisecond
	r := turns(t, &sim.Model{
		Duration: time.Second,
		Dependencies: sim.Map[sim.Dependency]{{Key: "db", Value: sim.Dependency{Phases: []sim.Phase{
			{Until: 100 * ms, Capacity: 1, Latency: sim.Latency{Constant: 10 * time.Second}},
			{Capacity: 3, Latency: sim.Latency{Constant: 5 * ms}},
		}}}},
		Loads: sim.Map[sim.Load]{
			{Key: "first", Value: sim.Load{To: "db", Trace: []time.Duration{0}}},
			{Key: "waits", Value: sim.Load{To: "db", Trace: []time.Duration{10 * ms}}},
			{Key: "comes", Value: sim.Load{To: "db", Trace: []time.Duration{200 * ms}}},
		},
	})
	// The one that waits begins when the phase does, with the latency it came with.
	if got := r.Classes["waits"].LatencyMs.Max; got != 10_090 {
		t.Errorf("the waiting call took %v ms, want 90 of waiting and 10000 of work", got)
	}
	if got := r.Classes["comes"].LatencyMs.Max; got != 5 {
		t.Errorf("the later call took %v ms, want 5", got)
	}
}

// Services that call each other's leaves are no circle, but were once refused.
func TestRoutesMakeNoCircle(t *testing.T) {
	m := &sim.Model{
		Duration: time.Second,
		Services: sim.Map[sim.Service]{
			{Key: "a", Value: sim.Service{Calls: []string{"b"}, Routes: sim.Map[sim.Route]{{Key: "leaf"}}}},
			{Key: "b", Value: sim.Service{Calls: []string{"a/leaf"}}},
		},
		Loads: sim.Map[sim.Load]{{Key: "users", Value: sim.Load{To: "a", Rate: 10}}},
	}
	if r := turns(t, m); r.Metrics.OK != 10 {
		t.Errorf("%+v", r.Metrics)
	}
	m.Services[0].Value.Routes[0].Value.Calls = []string{"b"}
	if _, err := sim.PlayVirtual(m, nil); err == nil || !strings.Contains(err.Error(), "circle") {
		t.Errorf("a circle through a route: %v", err)
	}
}

// A model made in Go was once played without a look: one without phases
// panicked, one with a circle never ended.
func TestModelsMadeInGoAreChecked(t *testing.T) {
	_, err := sim.PlayVirtual(&sim.Model{
		Services:     sim.Map[sim.Service]{{Key: "my page", Value: sim.Service{Workers: -1, Queue: -7, Calls: []string{"nobody"}}}},
		Dependencies: sim.Map[sim.Dependency]{{Key: "db"}},
		Loads:        sim.Map[sim.Load]{{Key: "users", Value: sim.Load{To: "db", Rate: 1, Arrivals: "rush"}}},
		Policy:       sim.Map[sim.Guard]{{Key: "db", Value: sim.Guard{Policy: policy.Dependency{Bulkhead: policy.Bulkhead{Pool: "none"}}}}},
	}, nil)
	if err == nil {
		t.Fatal("a faulty model was played")
	}
	for _, want := range []string{
		`duration: must be above 0 and at most 24h0m0s, is 0s`,
		`services["my page"].workers: must not be negative, is -1`,
		`services["my page"].queue: must not be negative, is -7`,
		`services["my page"].calls: no service or dependency is called "nobody"`,
		`dependencies.db.phases: needs at least one`,
		`loads.users.arrivals: must be one of even, poisson, is "rush"`,
		`policy.db.bulkhead.pool: there is no pool "none"`,
	} {
		if !strings.Contains("\n"+err.Error()+"\n", "\n"+want+"\n") {
			t.Errorf("not told: %s\nin:\n%v", want, err)
		}
	}
}

// An interrupted variant's figures were once held against its expectations, as
// if it had been played to its end.
func TestInterruptedVariantIsNotJudged(t *testing.T) {
	s := parse(t, `scenario: x
duration: 10s
dependencies: {db: {phases: [{latency: 1ms}]}}
loads: {users: {to: db, clients: 1}}
variants: [{name: one}, {name: two}, {name: three}]
expect: ["one: ok == 10000", "two: ok == 10000", "three: ok == 10000", "one: ok == two: ok"]
`)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := s.Play(ctx, sim.Options{Progress: func(variant string, index, total int) {
		if total != 3 {
			t.Errorf("%d variants", total)
		}
		if variant == "two" {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || len(r.Variants) != 2 || r.Variants[1].Metrics.OK != 0 {
		t.Errorf("interrupted %v, %d variants", r.Interrupted, len(r.Variants))
	}
	if len(r.Expectations) != 1 || !r.Expectations[0].Holds {
		t.Errorf("only the first variant was played to its end, but %+v", r.Expectations)
	}
}

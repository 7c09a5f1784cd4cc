package sim_test

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/stanch-go/stanch/sim"
)

// busy has everything in it that draws random numbers or that could depend on
// the order of a map.
const busy = `scenario: busy
seed: 3
duration: 2s
fault: {from: 500ms, to: 1s}
services:
  page:
    workers: 10
    queue: 5
    work: {mean: 1ms}
    calls: [a, b]
    routes: {deep: {work: {min: 1ms, max: 2ms}, calls: [inner/short, a]}}
  inner: {workers: 3, queue: unbounded, routes: {short: {calls: [b]}}}
  shop:
    instances: 3
    quota_store: store
    work: {mean: 10ms}
    inbound:
      priorities: {trust: true}
      limits: {tenant: {by: tenant, rate: 40}}
      quotas: {user: {by: user, mode: leased, store: "redis://r:1", rate: 20, instances: 3}, all: {mode: central, store: "redis://r:1", rate: 100}}
      concurrency: {limit: 4, adaptive: {initial: 2}}
dependencies:
  a:
    phases:
      - {until: 500ms, latency: {p50: 5ms, p99: 50ms}, errors: 10%}
      - {until: 1s, latency: {mean: 200ms}, errors: 30%, capacity: 3}
      - {latency: {p50: 5ms, p99: 50ms}}
  b: {phases: [{latency: {min: 1ms, max: 9ms}, errors: 5%}]}
  store: {phases: [{latency: {mean: 2ms}, errors: 5%}]}
loads:
  users: {to: page, rate: 300, arrivals: poisson}
  robots: {to: page/deep, clients: 5, think: 10ms}
  direct: {to: b, rate: 50}
  buyers:
    to: shop
    rate: 300
    arrivals: poisson
    deadline: 50ms
    spread: {zipf: 1}
    users: 10
    tenant: {number: 4, zipf: 1}
    priority: {critical: 1, sheddable: 3}
pools: {all: 8}
variants:
  - name: one
    policy:
      a: {bulkhead: {pool: all, guaranteed: 2}, timeout: {attempt: 60ms}, retry: {attempts: 3, base: 10ms, jitter: decorrelated}}
      b: {bulkhead: {pool: all}, timeout: {attempt: 60ms}, alternative: old}
  - name: two
    policy:
      a: {class: standard, timeout: {attempt: 60ms}, alternative: old}
  - name: three
`

func parse(t testing.TB, text string) *sim.Scenario {
	t.Helper()
	s, err := sim.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func play(t testing.TB, s *sim.Scenario, o sim.Options) *sim.Result {
	t.Helper()
	r, err := s.Play(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t testing.TB, x any) string {
	t.Helper()
	bytes, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes)
}

func TestSameFileAndSeedGiveTheSameBytes(t *testing.T) {
	want := text(t, play(t, parse(t, busy), sim.Options{}))
	for _, procs := range []int{1, 2} {
		before := runtime.GOMAXPROCS(procs)
		got := text(t, play(t, parse(t, busy), sim.Options{}))
		runtime.GOMAXPROCS(before)
		if got != want {
			t.Errorf("with %d processors\ngot  %s\nwant %s", procs, got, want)
		}
	}
	s := parse(t, busy)
	for range 2 { // a scenario can be played again
		if text(t, play(t, s, sim.Options{})) != want {
			t.Error("played again it is another")
		}
	}
}

func TestAnotherSeedGivesAnotherRun(t *testing.T) {
	s := parse(t, busy)
	three, four := play(t, s, sim.Options{}), play(t, s, sim.Options{Seed: new(uint64(4))})
	if three.Seed != 3 || four.Seed != 4 {
		t.Errorf("the results name the seeds %d and %d", three.Seed, four.Seed)
	}
	for i := range three.Variants {
		if text(t, three.Variants[i]) == text(t, four.Variants[i]) {
			t.Errorf("variant %s is the same", three.Variants[i].Name)
		}
	}
	if again := play(t, s, sim.Options{}); text(t, again) != text(t, three) {
		t.Error("the seed of one play stayed for the next")
	}
}

// TestVariantsAreAlone: a variant's figures do not depend on which others there
// are, nor on their order.
func TestVariantsAreAlone(t *testing.T) {
	s := parse(t, busy)
	all := play(t, s, sim.Options{})
	for i, v := range s.Variants {
		alone := play(t, s, sim.Options{Variants: []string{v.Name}})
		if len(alone.Variants) != 1 || text(t, alone.Variants[0]) != text(t, all.Variants[i]) {
			t.Errorf("variant %s alone gives other figures", v.Name)
		}
	}
	back := play(t, s, sim.Options{Variants: []string{"three", "one"}})
	if text(t, back.Variants[0]) != text(t, all.Variants[2]) || text(t, back.Variants[1]) != text(t, all.Variants[0]) {
		t.Error("in another order the figures are others")
	}
}

// TestDrawsBelongToNames: seeds were once dealt out in the order in which
// participants were made. A guard that one variant had then changed at what
// instants the users of the other came, and the variants could not be compared.
func TestDrawsBelongToNames(t *testing.T) {
	model := func() *sim.Model {
		noisy := sim.Latency{P50: 3, P99: 9}
		noisy.P50 *= 1e6
		noisy.P99 *= 1e6
		d := sim.Dependency{Phases: []sim.Phase{{Latency: noisy, Errors: 0.2}}}
		return &sim.Model{
			Seed: 1, Duration: 1e9,
			Services:     sim.Map[sim.Service]{{Key: "left", Value: sim.Service{Calls: []string{"a"}, Work: noisy}}, {Key: "right", Value: sim.Service{Calls: []string{"b"}, Work: noisy}}},
			Dependencies: sim.Map[sim.Dependency]{{Key: "a", Value: d}, {Key: "b", Value: d}},
			Loads: sim.Map[sim.Load]{
				{Key: "l", Value: sim.Load{To: "left", Rate: 200, Arrivals: sim.Poisson}},
				{Key: "r", Value: sim.Load{To: "right", Rate: 200, Arrivals: sim.Poisson}},
			},
		}
	}
	right := func(m *sim.Model) string {
		t.Helper()
		r, err := sim.PlayVirtual(m, nil)
		if err != nil {
			t.Fatal(err)
		}
		return text(t, r.Classes["r"]) + text(t, r.Dependencies["b"])
	}
	want := right(model())
	for name, change := range map[string]func(*sim.Model){
		"a guard": func(m *sim.Model) {
			m.Policy = sim.Map[sim.Guard]{{Key: "a", Value: sim.Guard{Alternative: "old"}}}
		},
		"a dependency more": func(m *sim.Model) {
			m.Dependencies = append(sim.Map[sim.Dependency]{{Key: "0", Value: m.Dependencies[0].Value}}, m.Dependencies...)
		},
		"a service more": func(m *sim.Model) {
			m.Services = append(sim.Map[sim.Service]{{Key: "0", Value: m.Services[0].Value}}, m.Services...)
		},
		"a constant latency": func(m *sim.Model) { m.Dependencies[0].Value.Phases = []sim.Phase{{}} },
		"another rate":       func(m *sim.Model) { m.Loads[0].Value.Rate = 50 },
		"another order":      func(m *sim.Model) { m.Dependencies[0], m.Dependencies[1] = m.Dependencies[1], m.Dependencies[0] },
	} {
		m := model()
		change(m)
		if got := right(m); got != want {
			t.Errorf("%s on the left changed what is on the right:\ngot  %s\nwant %s", name, got, want)
		}
	}
	m := model()
	m.Loads[1].Value.Rate = 100
	if right(m) == want {
		t.Error("a change on the right shows nothing: the test sees nothing")
	}
}

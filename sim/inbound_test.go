package sim_test

import (
	"strings"
	"testing"

	"github.com/stanch-go/stanch/sim"
)

// only plays the only variant of a scenario.
func only(t testing.TB, text string) sim.VariantResult {
	t.Helper()
	r := play(t, parse(t, "scenario: test\n"+text), sim.Options{})
	v := r.Variants[0]
	if n := ends(v.Metrics); n != v.Metrics.Requests {
		t.Errorf("%d requests, %d ends: %+v", v.Metrics.Requests, n, v.Metrics)
	}
	return v
}

// What is refused at the door holds no worker and takes no time: of ten requests
// at once two are admitted, one works, one waits for the worker, and only those
// two are in the latencies.
func TestRefusalsHoldNoWorker(t *testing.T) {
	v := only(t, `
duration: 1s
services: {shop: {workers: 1, queue: 1, work: 100ms, inbound: {limits: {all: {rate: 1, burst: 2}}}}}
loads: {users: {to: shop, trace: [0s, 0s, 0s, 0s, 0s, 0s, 0s, 0s, 0s, 0s]}}
`)
	m, shop := v.Metrics, v.Services["shop"]
	if m.OK != 2 || m.Refused["rate_limited"] != 8 || m.LatencyMs != m.OKLatencyMs || m.LatencyMs.Max != 200 || m.CompletedPerS[0] != 2 || m.GoodputPerS != 2 {
		t.Errorf("%+v", m)
	}
	if shop.Admitted != 2 || shop.RefusedBy["all"] != 8 || shop.Refused["rate_limited"] != 8 || shop.PeakInFlight != 2 || shop.InFlightPerS[0] != 2 {
		t.Errorf("%+v", shop)
	}
}

// An admitted request that finds the queue full gives its place back.
func TestFullQueueBehindTheDoor(t *testing.T) {
	v := only(t, `
duration: 2s
services: {shop: {workers: 1, queue: 0, work: 500ms, inbound: {concurrency: {limit: 2}}}}
loads: {users: {to: shop, trace: [0s, 1ms, 2ms, 3ms, 1s]}}
`)
	if m := v.Metrics; m.OK != 2 || m.Refused["queue_full"] != 3 || v.Services["shop"].Admitted != 5 {
		t.Errorf("%+v, %+v", m, v.Services["shop"])
	}
}

// A client that has waited long enough leaves: that is a failure at that very
// time, the work goes on for nobody, and a closed loop goes on at once.
func TestClientsLeave(t *testing.T) {
	v := only(t, `
duration: 100ms
services: {shop: {work: 25ms, workers: 1, queue: unbounded}}
loads: {users: {to: shop, clients: 1, deadline: 10ms}}
`)
	m := v.Metrics
	if m.Requests != 10 || m.Failed != 10 || m.LatencyMs.P50 != 10 || m.LatencyMs.Max != 10 || m.Orphaned != 10 || m.OK != 0 {
		t.Errorf("%+v", m)
	}
}

// The end of the patience of a request that was answered long ago used to end the
// next one that was kept in the same memory.
func TestOldPatienceEndedTheNextRequest(t *testing.T) {
	v := only(t, `
duration: 1s
services: {shop: {work: 5ms}}
loads: {users: {to: shop, clients: 3, deadline: 12ms}}
`)
	if m := v.Metrics; m.Failed != 0 || m.OK != 600 || m.Orphaned != 0 {
		t.Errorf("%+v", m)
	}
}

// The deadline of the section bounds the calls of who claims none, and what it
// leaves is handed on.
func TestDeadlineIsHandedOn(t *testing.T) {
	v := only(t, `
duration: 100ms
services:
  page: {calls: [inner], inbound: {deadline: 50ms}}
  inner: {work: 20ms, calls: [db], inbound: {min_remaining: 60ms}}
dependencies: {db: {phases: [{latency: 1ms}]}}
loads: {users: {to: page, trace: [0s]}}
`)
	if v.Metrics.Failed != 1 || v.Services["inner"].Refused["deadline"] != 1 {
		t.Errorf("%+v", v)
	}
}

// Limits know routes, tenants and users; the tenant is handed on to the services
// behind, unless the guard keeps it.
func TestWhoAsksForWhat(t *testing.T) {
	const text = `
duration: 1s
services:
  page: {routes: {a: {calls: [inner/b]}, c: {calls: [inner/d]}}}
  inner:
    routes: {b: {}, d: {}}
    inbound:
      limits:
        b: {route: /b, by: tenant, rate: 1, burst: 3}
        d: {route: GET /d, rate: 1, burst: 5}
loads:
  one: {to: page/a, rate: 10, tenant: one}
  two: {to: page/a, rate: 10, tenant: two}
  more: {to: page/c, rate: 10, users: 3}
policy: {inner/b: {timeout: {attempt: 1s}, alone: %s}}
`
	v := only(t, strings.Replace(text, "%s", "false", 1))
	if by := v.Services["inner"].RefusedBy; by["b"] != 14 || by["d"] != 5 {
		t.Errorf("refused by %v", by)
	}
	v = only(t, strings.Replace(text, "%s", "true", 1))
	if by := v.Services["inner"].RefusedBy; by["b"] != 17 {
		t.Errorf("alone: refused by %v", by)
	}
}

// Priorities count where they are trusted, and are counted as they are said.
func TestPriorities(t *testing.T) {
	const text = `
duration: 4s
services: {shop: {work: 50ms, inbound: {priorities: {trust: %s}, concurrency: {limit: 5}}}}
loads: {users: {to: shop, rate: 500, arrivals: poisson, priority: {critical: 1, sheddable: 9}}}
`
	trusted := only(t, strings.Replace(text, "%s", "true", 1)).Priorities
	if trusted["critical"].SuccessRatio < 0.95 || trusted["sheddable"].SuccessRatio > 0.2 {
		t.Errorf("trusted: %+v", trusted)
	}
	if n := trusted["critical"].Requests; n < 120 || n > 280 || trusted["critical-plus"].Requests != 0 {
		t.Errorf("trusted: %+v", trusted)
	}
	doubted := only(t, strings.Replace(text, "%s", "false", 1)).Priorities
	if doubted["critical"].SuccessRatio > 0.4 || doubted["critical"].Requests != trusted["critical"].Requests {
		t.Errorf("not trusted: %+v", doubted)
	}
	given := only(t, `
duration: 1s
services: {shop: {routes: {export: {}}, inbound: {priorities: {routes: {/export: sheddable}}}}}
loads: {users: {to: shop/export, rate: 10}}
`).Priorities
	if given["sheddable"].OK != 10 {
		t.Errorf("by its route: %+v", given)
	}
}

// Every instance has its own limits; a load is dealt evenly, or by Zipf's law.
func TestInstances(t *testing.T) {
	const text = `
duration: 1s
services: {shop: {instances: 4, work: 1ms, inbound: {limits: {all: {rate: 1, burst: 10}}}}}
loads: {users: {to: shop, rate: 200%s}}
`
	if n := only(t, strings.Replace(text, "%s", "", 1)).Services["shop"].Admitted; n != 40 {
		t.Errorf("evenly: %d admitted, want 10 in each", n)
	}
	if n := only(t, strings.Replace(text, "%s", ", spread: {zipf: 4}", 1)).Services["shop"].Admitted; n >= 40 || n <= 10 {
		t.Errorf("unevenly: %d admitted; the last ones get less than 10", n)
	}
	behind := only(t, `
duration: 1s
services:
  page: {calls: [shop]}
  shop: {instances: 4, inbound: {limits: {all: {rate: 1, burst: 10}}}}
loads: {users: {to: page, rate: 200}}
`)
	if n := behind.Services["shop"].Admitted; n != 40 {
		t.Errorf("from a service: %d admitted", n)
	}
}

// The adaptive limit is followed over time.
func TestLimitOverTime(t *testing.T) {
	v := only(t, `
duration: 10s
services: {shop: {calls: [db], inbound: {concurrency: {adaptive: {initial: 5}}}}}
dependencies: {db: {phases: [{latency: 50ms, capacity: 20}]}}
loads: {users: {to: shop, rate: 600, arrivals: poisson}}
`)
	limits := v.Services["shop"].LimitPerS
	if len(limits) != 10 || limits[0] > 10 || limits[9] < 15 || limits[9] > 40 {
		t.Errorf("the limit is %v", limits)
	}
	series := v.Series.Services["shop"]
	if len(series.Limit) != len(v.Series.Answers) || len(series.InFlight) != len(series.Limit) || series.Limit[len(series.Limit)-1] < 15 {
		t.Errorf("the series are %d and %d long: %v", len(series.Limit), len(series.InFlight), series.Limit)
	}
}

// The inbound section of a policy file is that of the service of its name, or of
// the only one; the service's deadline goes with it.
func TestPolicyFileTakesIn(t *testing.T) {
	r := play(t, read(t, "testdata/policy/inbound.yaml"), sim.Options{})
	for i, want := range []int64{20, 5, 5} {
		if got := r.Variants[i].Metrics.OK; got != want {
			t.Errorf("%s: %d ok, want %d", r.Variants[i].Name, got, want)
		}
	}
	if n := r.Variants[1].Services["shop"].Refused["deadline"]; n != 1 {
		t.Errorf("%d were refused for their time: %+v", n, r.Variants[1].Services)
	}
}

func read(t testing.TB, file string) *sim.Scenario {
	t.Helper()
	s, err := sim.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

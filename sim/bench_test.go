package sim_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/sim"
)

// everything is a world with every mechanism on and at work: one call in twenty
// fails, so that there are retries, a budget that is drawn on, alternatives and
// now and then a breaker that opens.
func everything(d time.Duration) *sim.Model {
	guard := sim.Guard{Policy: policy.FromConfig(stanch.Standard(200 * time.Millisecond)), Alternative: "popular"}
	return &sim.Model{
		Seed: 1, Duration: d,
		Services: sim.Map[sim.Service]{{Key: "page", Value: sim.Service{Workers: 50, Queue: 100, Calls: []string{"recommend"}}}},
		Dependencies: sim.Map[sim.Dependency]{{Key: "recommend", Value: sim.Dependency{
			Phases: []sim.Phase{{Latency: sim.Latency{P50: 10 * time.Millisecond, P99: 40 * time.Millisecond}, Errors: 0.05}},
		}}},
		Loads:  sim.Map[sim.Load]{{Key: "users", Value: sim.Load{To: "page", Rate: 600, Arrivals: sim.Poisson}}},
		Policy: sim.Map[sim.Guard]{{Key: "recommend", Value: guard}},
	}
}

// BenchmarkCalls measures simulated calls a second on one core.
func BenchmarkCalls(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var calls int64
	for b.Loop() {
		r, err := sim.PlayVirtual(everything(100*time.Second), nil)
		if err != nil {
			b.Fatal(err)
		}
		calls += r.Dependencies["recommend"].Calls
	}
	b.ReportMetric(float64(calls)/b.Elapsed().Seconds(), "calls/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
}

// admitting is a world of which all is the door: twice what is admitted comes to
// four instances with limits, a leased quota, priorities and a concurrency limit.
func admitting(d time.Duration) *sim.Model {
	in := &policy.Inbound{}
	in.Priorities.Trust = true
	in.Limits = sim.Map[inbound.Limit]{{Key: "tenant", Value: inbound.Limit{By: inbound.Tenant, Rate: 400}}}
	q := policy.Quota{Store: "redis://r:1"}
	q.Mode, q.Rate = quota.ModeLeased, 1000
	in.Quotas = sim.Map[policy.Quota]{{Key: "all", Value: q}}
	in.Concurrency.Limit = 5
	return &sim.Model{
		Seed: 1, Duration: d,
		Services: sim.Map[sim.Service]{{Key: "shop", Value: sim.Service{Instances: 4, Inbound: in, Work: sim.Latency{Mean: 20 * time.Millisecond}}}},
		Loads: sim.Map[sim.Load]{{Key: "users", Value: sim.Load{
			To: "shop", Rate: 2000, Arrivals: sim.Poisson, Deadline: 500 * time.Millisecond, Users: 1000, Tenant: sim.Tenants{Number: 10},
			Priority: sim.Shares{{Key: "critical", Value: 1}, {Key: "sheddable", Value: 4}},
		}}},
	}
}

// BenchmarkAdmissions measures simulated requests a second at a busy door.
func BenchmarkAdmissions(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var requests int64
	for b.Loop() {
		r, err := sim.PlayVirtual(admitting(30*time.Second), nil)
		if err != nil {
			b.Fatal(err)
		}
		requests += r.Metrics.Requests
	}
	b.ReportMetric(float64(requests)/b.Elapsed().Seconds(), "requests/s")
}

// TestMemoryDoesNotGrow plays ten times as long and looks at what is left on
// the heap at the end of the run.
func TestMemoryDoesNotGrow(t *testing.T) {
	for name, world := range map[string]func(time.Duration) *sim.Model{"everything": everything, "admitting": admitting} {
		t.Run(name, func(t *testing.T) { memoryDoesNotGrow(t, world) })
	}
}

func memoryDoesNotGrow(t *testing.T, world func(time.Duration) *sim.Model) {
	heap := func(d time.Duration) uint64 {
		r, err := sim.PlayVirtual(world(d), nil)
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		runtime.KeepAlive(r)
		return stats.HeapAlloc
	}
	heap(time.Second) // what is made once
	short, long := heap(20*time.Second), heap(200*time.Second)
	if long > short+1<<20 {
		t.Errorf("the heap grew from %d to %d bytes when ten times as much was played", short, long)
	}
}

// TestAllocationsAreFew: a call allocates its attempt's context, and a place in
// a bulkhead's queue when it waits there. The rest is used again.
func TestAllocationsAreFew(t *testing.T) {
	var calls int64
	of := func(d time.Duration) float64 {
		return testing.AllocsPerRun(1, func() {
			r, err := sim.PlayVirtual(everything(d), nil)
			if err != nil {
				t.Fatal(err)
			}
			calls = r.Dependencies["recommend"].Calls
		})
	}
	short := of(5 * time.Second)
	before := calls
	long := of(20 * time.Second)
	if each := (long - short) / float64(calls-before); each > 2 {
		t.Errorf("%.2f allocations a call, want 2 at most", each)
	}
}

package sim_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/sim"
)

// everything is a world with every mechanism on and at work: one call in twenty
// fails, so that there are retries, a budget that is drawn on, alternatives and
// now and then a breaker that opens.
func everything(d time.Duration) *sim.Model {
	guard := sim.Guard{Class: stanch.ClassStandard, Config: stanch.Standard(200 * time.Millisecond), Alternative: "popular"}
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

// TestMemoryDoesNotGrow plays ten times as long and looks at what is left on
// the heap at the end of the run.
func TestMemoryDoesNotGrow(t *testing.T) {
	heap := func(d time.Duration) uint64 {
		m := everything(d)
		var high uint64
		var stats runtime.MemStats
		r, err := sim.PlayVirtual(m, func() bool {
			return false
		})
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&stats)
		high = stats.HeapAlloc
		runtime.KeepAlive(r)
		return high
	}
	short, long := heap(20*time.Second), heap(400*time.Second)
	if long > short+4<<20 {
		t.Errorf("the heap grew from %d to %d bytes when twenty times as much was played", short, long)
	}
}

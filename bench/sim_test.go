package bench

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/sim"
)

// world has every mechanism on and at work: one call in twenty fails.
func world(d time.Duration) *sim.Model {
	return &sim.Model{
		Seed: 1, Duration: d,
		Services: sim.Map[sim.Service]{{Key: "page", Value: sim.Service{Workers: 50, Queue: 100, Calls: []string{"recommend"}}}},
		Dependencies: sim.Map[sim.Dependency]{{Key: "recommend", Value: sim.Dependency{
			Phases: []sim.Phase{{Latency: sim.Latency{P50: 10 * time.Millisecond, P99: 40 * time.Millisecond}, Errors: 0.05}},
		}}},
		Loads:  sim.Map[sim.Load]{{Key: "users", Value: sim.Load{To: "page", Rate: 600, Arrivals: sim.Poisson}}},
		Policy: sim.Map[sim.Guard]{{Key: "recommend", Value: sim.Guard{Policy: policy.FromConfig(stanch.Standard(200 * time.Millisecond)), Alternative: "popular"}}},
	}
}

func play(b testing.TB, d time.Duration) (calls int64, allocated uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := sim.PlayVirtual(world(d), nil)
	if err != nil {
		b.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return r.Dependencies["recommend"].Calls, after.Mallocs - before.Mallocs
}

// Simulator plays on one core. Its allocations a call are those of a longer run
// beyond those of a shorter one: what is made once does not count.
func BenchmarkSimulator(b *testing.B) {
	b.Run("stanch", func(b *testing.B) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		play(b, 10*time.Second) // what is made once in the process
		few, small := play(b, 10*time.Second)
		var calls int64
		var each float64
		for b.Loop() {
			n, allocated := play(b, 60*time.Second)
			calls += n
			each = max(0, float64(allocated)-float64(small)) / float64(n-few)
			each = math.Round(100*each) / 100 // go test tells allocs/op in whole ones
		}
		b.ReportMetric(float64(calls)/b.Elapsed().Seconds(), "calls/s")
		b.ReportMetric(each, "allocs/call")
	})
}

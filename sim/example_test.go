package sim_test

import (
	"context"
	"fmt"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/sim"
)

// A world built in Go: two hundred requests a second, each of which makes one
// call to a search that hangs from the second second to the sixth.
func ExamplePlayVirtual() {
	const ms = time.Millisecond
	world := sim.Model{
		Seed:     1,
		Duration: 10 * time.Second,
		Fault:    sim.Interval{From: 2 * time.Second, To: 6 * time.Second},
		Services: sim.Map[sim.Service]{
			{Key: "page", Value: sim.Service{Workers: 20, Queue: 100, Calls: []string{"search"}}},
		},
		Dependencies: sim.Map[sim.Dependency]{
			{Key: "search", Value: sim.Dependency{Phases: []sim.Phase{
				{Until: 2 * time.Second, Latency: sim.Latency{P50: 20 * ms, P99: 80 * ms}},
				{Until: 6 * time.Second, Hang: true},
				{Latency: sim.Latency{P50: 20 * ms, P99: 80 * ms}},
			}}},
		},
		Loads: sim.Map[sim.Load]{
			{Key: "users", Value: sim.Load{To: "page", Rate: 200}},
		},
		Policy: sim.Map[sim.Guard]{
			{Key: "search", Value: sim.Guard{Policy: policy.FromConfig(stanch.Standard(200 * ms)), Alternative: "cached"}},
		},
	}

	guarded, err := sim.PlayVirtual(&world, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	world.Policy = nil
	bare, err := sim.PlayVirtual(&world, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := bare.Metrics
	fmt.Printf("bare: ok %d, refused %d, without an answer %d\n", m.OK, m.Refused["queue_full"], m.Hung)
	m = guarded.Metrics
	fmt.Println("guarded, all have an answer:", m.OK+m.Degraded == m.Requests)
	fmt.Println("guarded, live ones soon after the fault:", *m.FirstSuccessAfterRecoveryMs < 150)
	// Output:
	// bare: ok 400, refused 1480, without an answer 120
	// guarded, all have an answer: true
	// guarded, live ones soon after the fault: true
}

// A scenario in a file, as a test of one's own would play it.
func ExampleReadFile() {
	s, err := sim.ReadFile("../scenarios/a-timeout.yaml")
	if err != nil {
		fmt.Println(err) // every fault of the file, with its line
		return
	}
	r, err := s.Play(context.Background(), sim.Options{Variants: []string{"no-timeout", "full"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, variant := range []string{"no-timeout", "full"} {
		longest, err := r.Figure(variant, "latency_ms.max")
		fmt.Println(variant, longest <= 250, err)
	}
	fmt.Println("all as expected:", r.Holds())
	// Output:
	// no-timeout false <nil>
	// full true <nil>
	// all as expected: true
}

// The text of a scenario, with a fault.
func ExampleParse() {
	_, err := sim.Parse("checkout.yaml", []byte(`scenario: checkout
duration: 10
dependencies:
  bank: {phases: [{latency: 50ms}]}
loads:
  users: {to: bnak, rate: 10}
`))
	fmt.Println(err)
	// Output:
	// checkout.yaml:2:11: duration: needs a unit, is 10; e.g. 10s or 10ms
	// checkout.yaml:6:15: loads.users.to: no service or dependency is called "bnak"
}

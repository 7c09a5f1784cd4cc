// Package sim plays incidents: services with workers and queues, dependencies
// that go bad, users that come in, and between them the guards of this module,
// the same code that runs in production. Time is virtual, so that minutes take a
// moment, and a run with the same seed gives the same figures to the byte.
//
// A scenario is a file, for the command "stanch sim":
//
//	scenario: slow-search
//	duration: 10s
//	fault: {from: 2s, to: 6s}
//	services:
//	  page: {workers: 20, queue: 100, calls: [search]}
//	dependencies:
//	  search:
//	    phases:
//	      - {until: 2s, latency: {p50: 20ms, p99: 80ms}}
//	      - {until: 6s, latency: 3s}
//	      - {latency: {p50: 20ms, p99: 80ms}}
//	loads:
//	  users: {to: page, rate: 200, arrivals: poisson}
//	variants:
//	  - name: bare
//	  - name: guarded
//	    policy: {search: {class: standard, timeout: {attempt: 200ms, total: 500ms}, alternative: cached}}
//	expect:
//	  - "guarded: failed == 0"
//	  - "guarded: refused.queue_full <= 20"
//
// In Go it is read with [ReadFile] and played with [Scenario.Play], for example
// in a test that holds a policy to what is expected of it:
//
//	s, err := sim.ReadFile("testdata/slow-search.yaml")
//	...
//	r, err := s.Play(ctx, sim.Options{})
//	...
//	for _, e := range r.Expectations {
//		if !e.Holds {
//			t.Errorf("%s: is %v", e.Text, e.Figure)
//		}
//	}
//
// A single world can also be built as a [Model] and played with [PlayVirtual].
//
// # What happens
//
// A load sends requests to a service, evenly, at random instants (an open loop),
// or each when the last one is answered (a closed one). A request waits in the
// service's queue for a worker, or is refused when the queue is full. A worker
// does the service's own work, makes its calls one after the other, each through
// its guard if the policy has one, and is held all the while. A dependency works
// on a call as the phase says in which it arrives, and to the end, though the
// caller may have given up.
//
// A service with an inbound section decides first what it takes in, by the code of
// package inbound. What it refuses holds no worker and takes no time; what it
// admits keeps its place while it waits for a worker.
//
// What takes no time in the model takes none in the run, with two exceptions,
// without which a closed loop would send for ever at one instant: an answer
// without a call takes a worker [Service.Answer], and a client without think
// time that is answered at once waits a millisecond.
//
// # What is random
//
// Latencies, errors, Poisson arrivals and the guards' jitter. Each participant
// draws from a stream of its own, which depends on the seed and its name alone.
// So the same users come at the same instants to every variant, and what differs
// between two variants is what was changed between them.
package sim

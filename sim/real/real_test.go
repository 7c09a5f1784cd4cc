package real_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/sim"
	"github.com/stanch-go/stanch/sim/real"
)

// model reads the only variant of a scenario.
func model(t testing.TB, text string) *sim.Model {
	t.Helper()
	s, err := sim.Parse("test.yaml", []byte("scenario: test\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return &s.Variants[0].Model
}

func play(t testing.TB, text string) sim.VariantResult {
	t.Helper()
	r, err := real.Play(t.Context(), model(t, text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// between fails the test if a figure is out of wide bounds: the machine may be
// busy, so they tell apart kinds of behaviour, not speeds.
func between[T int | int64 | float64](t testing.TB, name string, x, low, high T) {
	t.Helper()
	if x < low || x > high {
		t.Errorf("%s is %v, want %v to %v", name, x, low, high)
	}
}

func total(m sim.Metrics) int64 {
	n := m.OK + m.Degraded + m.Failed + m.Hung
	for _, refused := range m.Refused {
		n += refused
	}
	return n
}

func TestClosedLoop(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 1s
services: {page: {workers: 4, queue: unbounded, calls: [db]}}
dependencies: {db: {phases: [{latency: 20ms}]}}
loads: {users: {to: page, clients: 8}}
`)
	m, db := r.Metrics, r.Dependencies["db"]
	between(t, "requests", m.Requests, 9, 208) // 4 workers, 20 ms
	if m.OK != m.Requests || m.Amplification != 1 || db.Calls != m.Requests {
		t.Errorf("%d of %d requests ok, %d calls", m.OK, m.Requests, db.Calls)
	}
	between(t, "peak in flight", db.PeakInFlight, 2, 4)
	between(t, "p50", m.LatencyMs.P50, 35, 1000) // each waits for another
	if len(r.Classes) != 1 || r.Classes["users"].Requests != m.Requests {
		t.Errorf("classes: %v", r.Classes)
	}
}

func TestThinkTime(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 500ms
services: {page: {}}
loads: {users: {to: page, clients: 2, think: 100ms}}
`)
	between(t, "requests", r.Metrics.Requests, 3, 10)
}

func TestOpenLoop(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 500ms
services: {page: {calls: [db]}}
dependencies: {db: {phases: [{latency: 300ms}]}}
loads:
  even: {to: page, rate: 100}
  poisson: {to: page, rate: 100, arrivals: poisson}
  trace: {to: page, trace: [0s, 10ms, 20ms, 2s]}
  later: {to: page, rate: 100, from: 400ms, until: 450ms}
`)
	for name, want := range map[string][2]int64{"even": {50, 50}, "poisson": {20, 100}, "trace": {3, 3}, "later": {5, 5}} {
		c := r.Classes[name]
		between(t, name, c.Requests, want[0], want[1]) // whatever becomes of them
		if c.OK != c.Requests {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

func TestQueueFull(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 500ms
services: {page: {workers: 1, queue: 1, calls: [db]}}
dependencies: {db: {phases: [{latency: 100ms}]}}
loads: {users: {to: page, rate: 100}}
`)
	m := r.Metrics
	between(t, "refused", m.Refused["queue_full"], 10, 48)
	if total(m) != 50 || m.OK+m.Refused["queue_full"] != 50 {
		t.Errorf("not every request has its end: %+v", m)
	}
}

func TestRefusalReasons(t *testing.T) {
	t.Parallel()
	for reason, policy := range map[string]string{
		"breaker_open":  `{breaker: {consecutive: 3, min_calls: 1000, cooldown: 1m}}`,
		"bulkhead_full": `{bulkhead: {limit: 1}}`,
		"queue_timeout": `{bulkhead: {limit: 1, queue: 1000, max_wait: 1ms}}`,
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			r := play(t, `
duration: 500ms
services: {page: {calls: [db]}}
dependencies: {db: {phases: [{latency: 20ms, errors: 100%}]}}
loads: {users: {to: page, clients: 10}}
policy: {db: `+policy+`}
`)
			m := r.Metrics
			if m.Refused[reason] == 0 || len(m.Refused) != 1 || total(m) != m.Requests || m.Failed == 0 {
				t.Errorf("%+v", m)
			}
			for _, tr := range r.Dependencies["db"].Transitions {
				between(t, "transition", tr.TS, 0, 60) // from the start of the run, not of the process
			}
		})
	}
}

// A worker takes its time for an answer without a call.
func TestDegraded(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 500ms
services: {page: {workers: 1, queue: unbounded, answer: 50ms, calls: [db]}}
dependencies: {db: {phases: [{refuse: true}]}}
loads: {users: {to: page, clients: 3}}
policy: {db: {breaker: {consecutive: 1, min_calls: 1000, cooldown: 1m}, alternative: popular}}
`)
	m := r.Metrics
	between(t, "requests", m.Requests, 3, 16)
	if m.Degraded != m.Requests || r.Dependencies["db"].Calls != 1 {
		t.Errorf("%d calls, %+v", r.Dependencies["db"].Calls, m)
	}
}

// Tries of two layers do not multiply, unless the outer one hands nothing on.
func TestAttemptsAreHandedOn(t *testing.T) {
	t.Parallel()
	for alone, want := range map[bool]int64{false: 3 + 1 + 1, true: 3 * 3} {
		for _, alternative := range []string{"", ", alternative: none"} { // its caller is another one
			r := play(t, fmt.Sprintf(`
duration: 50ms
services: {entry: {calls: [inner]}, inner: {calls: [db]}}
dependencies: {db: {phases: [{refuse: true}]}}
loads: {users: {to: entry, trace: [0s]}}
policy:
  inner: {retry: {attempts: 3, base: 1ms}, timeout: {attempt: 10s}, alone: %v%s}
  db: {retry: {attempts: 3, base: 1ms}}
`, alone, alternative))
			if got := r.Dependencies["db"].Calls; got != want {
				t.Errorf("alone: %v%s: %d calls, want %d", alone, alternative, got, want)
			}
		}
	}
}

// To those further in a first try for somebody's second one is a second one, also
// when it is made for an answer that has alternatives.
func TestAttemptsAreHandedThrough(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 50ms
services: {entry: {calls: [middle]}, middle: {calls: [inner, other]}, inner: {calls: [db]}}
dependencies: {db: {phases: [{refuse: true}]}, other: {phases: [{refuse: true}]}}
loads: {users: {to: entry, trace: [0s]}}
policy:
  middle: {retry: {attempts: 3, base: 1ms}}
  inner: {timeout: {attempt: 10s}, alternative: none}
  db: {retry: {attempts: 3, base: 1ms}}
`)
	if got := r.Dependencies["db"].Calls; got != 3+1+1 {
		t.Errorf("%d calls, want 5", got)
	}
}

// The time that a caller has left bounds what is called for it, and so the run.
func TestDeadlineIsHandedOn(t *testing.T) {
	t.Parallel()
	for _, alternative := range []string{"", ", alternative: none"} { // its caller is another one
		began := time.Now()
		r := play(t, `
duration: 50ms
services: {entry: {calls: [middle]}, middle: {calls: [inner]}, inner: {calls: [db]}}
dependencies: {db: {phases: [{hang: true}]}}
loads: {users: {to: entry, trace: [0s]}}
policy: {middle: {timeout: {attempt: 100ms}`+alternative+`}}
`)
		if took := time.Since(began); r.Metrics.Failed+r.Metrics.Degraded != 1 || took > 30*time.Second {
			t.Errorf("after %v: %+v", took, r.Metrics)
		}
	}
}

func TestCancels(t *testing.T) {
	t.Parallel()
	for cancels, want := range map[bool]int64{false: 1, true: 0} {
		r := play(t, fmt.Sprintf(`
duration: 50ms
services: {entry: {calls: [inner]}, inner: {work: 400ms, cancels: %v, calls: [db]}}
dependencies: {db: {phases: [{latency: 1ms}]}}
loads: {users: {to: entry, trace: [0s]}}
policy: {inner: {timeout: {attempt: 50ms}, alone: true}}
`, cancels))
		if got := r.Dependencies["db"].Calls; got != want || r.Metrics.Failed != 1 || r.Metrics.Orphaned != 1 {
			t.Errorf("cancels %v: %d calls, %+v", cancels, got, r.Metrics)
		}
	}
}

func TestRoutesAndPools(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 500ms
services:
  page: {routes: {a: {calls: [slow]}, b: {calls: [quick]}, c: {work: 10ms}}}
dependencies: {slow: {phases: [{latency: 200ms}]}, quick: {phases: [{latency: 5ms}]}}
loads: {A: {to: page/a, clients: 4}, B: {to: page/b, clients: 4}, C: {to: page/c, clients: 1}}
pools: {all: 3}
policy:
  slow: {bulkhead: {pool: all, max: 1, queue: 10, max_wait: 1m}}
  quick: {bulkhead: {pool: all, guaranteed: 2, queue: 10, max_wait: 1m}}
`)
	if peak := r.Dependencies["slow"].PeakInFlight; peak != 1 {
		t.Errorf("%d calls of A in flight, its share is 1", peak)
	}
	if quick := r.Dependencies["quick"]; quick.Calls <= r.Dependencies["slow"].Calls || quick.PeakInFlight > 3 {
		t.Errorf("quick: %+v", quick)
	}
	if c := r.Classes["C"]; c.OK != c.Requests || c.OK == 0 {
		t.Errorf("C: %+v", c)
	}
}

// A load straight at a dependency has a guard as well.
func TestNothingInBetween(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 300ms
dependencies: {db: {phases: [{until: 150ms, refuse: true}, {latency: 10ms}]}}
loads: {users: {to: db, rate: 50}}
policy: {db: {retry: {attempts: 2, base: 1ms, jitter: none}}}
`)
	m := r.Metrics
	between(t, "ok", m.OK, 1, 14)
	if m.Requests != 15 || m.OK+m.Failed != 15 {
		t.Errorf("%+v", m)
	}
	calls := m.OK + 2*m.Failed
	between(t, "calls", r.Dependencies["db"].Calls, calls, calls+5) // a second one may have succeeded
}

func TestCapacity(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 500ms
dependencies: {db: {phases: [{latency: 20ms, capacity: 2}]}}
loads: {users: {to: db, clients: 10}}
`)
	between(t, "ok", r.Metrics.OK, 10, 62) // 2 at once, 20 ms, and the last ten
	between(t, "peak in flight", r.Dependencies["db"].PeakInFlight, 3, 10)
}

func TestHang(t *testing.T) {
	t.Parallel()
	began := time.Now()
	r := play(t, `
duration: 100ms
drain: 200ms
services: {page: {workers: 2, queue: unbounded, calls: [db]}}
dependencies: {db: {phases: [{hang: true}]}}
loads: {users: {to: page, clients: 3}}
`)
	if m := r.Metrics; m.Requests != 3 || m.Hung != 3 {
		t.Errorf("%+v", m)
	}
	if took := time.Since(began); took < 300*time.Millisecond || took > 20*time.Second {
		t.Errorf("took %v, drained after 300ms", took)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var told, last time.Duration
	_, err := real.Play(t.Context(), model(t, `
duration: 300ms
drain: 300ms
dependencies: {db: {phases: [{hang: true}]}}
loads: {users: {to: db, clients: 1}}
`), func(done, total time.Duration) {
		if done < last || done > total || total != 300*time.Millisecond && total != 600*time.Millisecond {
			t.Errorf("%v of %v after %v", done, total, last)
		}
		last = done
		told++
	})
	if err != nil || told < 2 || last != 600*time.Millisecond {
		t.Errorf("told %d times, at last %v, %v", told, last, err)
	}
}

// busy has everything that can wait: queues, backoffs, hanging calls.
const busy = `
duration: 1h
services:
  page: {workers: 5, queue: unbounded, calls: [inner, db]}
  inner: {work: 5ms, cancels: true, calls: [stuck]}
dependencies:
  db: {phases: [{latency: 20ms, errors: 50%, capacity: 3}]}
  stuck: {phases: [{hang: true}]}
loads:
  closed: {to: page, clients: 20}
  open: {to: page, rate: 100}
  direct: {to: db, clients: 2, think: 50ms}
policy:
  inner: {timeout: {attempt: 50ms}, alternative: none}
  db: {retry: {attempts: 3, base: 10s}, bulkhead: {limit: 2, queue: 100, max_wait: 1m}}
`

// Not parallel: it counts goroutines.
func TestInterruptLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	began := time.Now()
	r, err := real.Play(ctx, model(t, busy), func(done, _ time.Duration) {
		if done > 500*time.Millisecond {
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v to end", took)
	}
	if m := r.Metrics; m.Requests == 0 || m.Hung == 0 || total(m) != m.Requests {
		t.Errorf("%+v", m)
	}
	gone(t, before)
}

// gone waits until no more goroutines run than before: those of net/http end by
// themselves once their connections are closed.
func gone(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func TestCanceledBeforeItBegins(t *testing.T) {
	before := runtime.NumGoroutine()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, err := real.Play(ctx, model(t, busy), nil)
	if err != nil || r.Metrics.OK > 0 {
		t.Errorf("%+v, %v", r.Metrics, err)
	}
	gone(t, before)
}

func TestUnplayable(t *testing.T) {
	before := runtime.NumGoroutine()
	for want, change := range map[string]func(*sim.Model){
		`loads.users.clients: in real time`: func(m *sim.Model) { m.Loads[0].Value.Clients = 20_001 },
		`loads.users.to: no service`:        func(m *sim.Model) { m.Loads[0].Value.To = "nobody" },
		`policy.db.bulkhead: `:              func(m *sim.Model) { m.Pools[0].Value = 1 },
	} {
		m := model(t, `
duration: 1h
services: {page: {calls: [db]}}
dependencies: {db: {phases: [{latency: 1ms}]}}
loads: {users: {to: page, clients: 1}}
pools: {all: 6}
policy: {db: {bulkhead: {pool: all, guaranteed: 5}}}
`)
		change(m)
		if _, err := real.Play(t.Context(), m, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	gone(t, before)
}

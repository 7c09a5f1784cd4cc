package sim_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stanch-go/stanch/sim"
)

// waiting is a world in which hundreds of requests wait at any moment: in
// calls, in backoffs and in queues.
func waiting() *sim.Model {
	m := everything(time.Minute)
	m.Services[0].Value.Workers = 300
	m.Dependencies[0].Value.Phases = []sim.Phase{{Hang: true}}
	m.Policy[0].Value.Policy.Bulkhead.Limit = 100
	m.Policy[0].Value.Policy.Breaker.Dark = true
	return m
}

// TestHalt: a run that is stopped gives the figures so far, and leaves nothing
// behind: every request is a coroutine, and all of them end.
func TestHalt(t *testing.T) {
	before := runtime.NumGoroutine()
	during, asked := 0, 0
	r, err := sim.PlayVirtual(waiting(), func() bool {
		asked++
		during = runtime.NumGoroutine()
		return asked == 10
	})
	if err != nil {
		t.Fatal(err)
	}
	if asked != 10 {
		t.Errorf("asked %d times", asked)
	}
	if during < before+10 {
		t.Errorf("%d goroutines during the run, %d before: nothing was waiting, and the test sees nothing", during, before)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before the run, %d after it", before, after)
	}
	if m := r.Metrics; m.Requests == 0 || m.Hung == 0 || m.Requests >= 36000 {
		t.Errorf("figures so far: %+v", m)
	}
}

// What waits when the time is up ends as well.
func TestEndOfTimeLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	m := waiting()
	m.Policy, m.Duration, m.Drain = nil, time.Second, time.Millisecond
	r, err := sim.PlayVirtual(m, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Metrics.Hung == 0 {
		t.Error("nothing was waiting, and the test sees nothing")
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before the run, %d after it", before, after)
	}
}

func TestHaltBeforeTheFirstEvent(t *testing.T) {
	r, err := sim.PlayVirtual(waiting(), func() bool { return true })
	if err != nil || r.Metrics.Requests != 0 || len(r.Dependencies) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

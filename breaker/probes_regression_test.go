package breaker

import (
	"runtime"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

// Each test tells a bug that other breakers have or had.

// failsafe-go 0.9.8, cinar/resile: a function that panics, or leaves by
// runtime.Goexit, loses its permit, and a half-open breaker is so for ever.
// The permit is ended in a defer, and the breaker goes on.
func TestPanicAndGoexitEndTheProbe(t *testing.T) {
	guarded := func(r *rig, now int64, f func()) {
		p, ok := r.AllowAt(now)
		if !ok {
			t.Errorf("at %v: refused", time.Duration(now))
			return
		}
		o := outcome.Failure
		defer func() { r.DoneAt(now, p, o, 0) }()
		f()
		o = outcome.Success
	}
	run := func(f func()) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			defer func() { _ = recover() }()
			f()
		}()
		<-done
	}
	cfg := tripping
	cfg.Probes = 1
	r := newRig(t, cfg)
	run(func() { guarded(r, 0, func() { panic("in the call") }) })
	run(func() { guarded(r, 1000*ms, func() { panic("in the probe") }) })
	run(func() { guarded(r, 2000*ms, runtime.Goexit) })
	run(func() { guarded(r, 3000*ms, func() {}) })
	r.state(3000*ms, Closed)
}

// sony/gobreaker 2.4.0, resilience4j#935, Sentinel#1638: a probe that hangs
// keeps the breaker half-open, and everything refused, for ever. Its lease
// ends: that counts as a failure, dated to the end of the lease.
func TestHungProbeLosesItsLease(t *testing.T) {
	cfg := tripping
	cfg.Probes, cfg.ProbeLease = 1, 10*time.Second
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	hung := r.allow(1000 * ms)
	r.refuse(10_999 * ms)
	r.state(11_000*ms, Open)
	r.refuse(11_999 * ms)
	next := r.allow(12_000 * ms)

	// The late report belongs to nobody: it neither closes nor frees a place.
	r.DoneAt(12_100*ms, hung, outcome.Success, 0)
	r.state(12_100*ms, HalfOpen)
	r.refuse(12_100 * ms)
	r.DoneAt(12_200*ms, next, outcome.Success, 0)
	r.told("open: "+ReasonConsecutive, "half-open: "+ReasonCooldownOver, "open: "+ReasonProbeLeaseOver,
		"half-open: "+ReasonCooldownOver, "closed: "+ReasonProbeSucceeded)
}

// With little traffic a lease may have ended long before anybody looks. The
// cooldown counts from the end of the lease, or else every second call would
// be refused for ever.
func TestHungProbeWithLittleTraffic(t *testing.T) {
	cfg := tripping
	cfg.Probes = 1
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	hour := 3600 * 1000 * ms
	for i := range int64(5) {
		r.allow((i + 1) * hour) // each hangs; the next is a probe again
	}
}

// sentinel-golang#196, Sentinel#1638: a probe that a later rule refuses never
// reports. It is ended as ignored: the place is free at once, with no verdict.
func TestProbeRefusedFurtherDownGivesItsPlaceBack(t *testing.T) {
	cfg := tripping
	cfg.Probes = 1
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	r.calls(1000*ms, 100, outcome.Ignored)
	r.state(1000*ms, HalfOpen)
	r.calls(1001*ms, 1, outcome.Success)
	r.state(1001*ms, Closed)
}

// Polly v8: a probe that its caller cancelled closes the breaker.
func TestCancelledProbeDecidesNothing(t *testing.T) {
	r := newRig(t, tripping)
	r.calls(0, 1, outcome.Failure)
	r.DoneAt(1001*ms, r.allow(1000*ms), outcome.Ignored, time.Hour)
	r.told("open: "+ReasonConsecutive, "half-open: "+ReasonCooldownOver)
}

// failsafe-go, resilience4j, Polly, Sentinel, hystrix-go: a call admitted while
// closed ends while open or half-open, and closes the breaker, reopens it, or
// puts off the end of the cooldown.
func TestLateResultsAreNotCounted(t *testing.T) {
	for _, o := range []outcome.Outcome{outcome.Success, outcome.Failure, outcome.Ignored} {
		r := newRig(t, tripping)
		var late []Permit
		for range 4 {
			late = append(late, r.allow(0))
		}
		r.calls(0, 1, outcome.Failure)

		r.DoneAt(500*ms, late[0], o, 0) // while open
		r.state(999*ms, Open)
		r.state(1000*ms, HalfOpen)
		r.DoneAt(1000*ms, late[1], o, 0) // while half-open
		r.state(1000*ms, HalfOpen)
		p := r.allow(1000 * ms)
		r.DoneAt(1000*ms, late[2], o, 0) // while a probe is in flight
		r.DoneAt(1100*ms, p, outcome.Success, 0)
		r.DoneAt(1200*ms, late[3], o, 0) // while closed again
		r.state(1200*ms, Closed)
		if s := r.StatsAt(1200 * ms); s.Total != 0 {
			t.Errorf("%v from before the opening is counted after it: %+v", o, s)
		}
	}
}

// The same between two half-open spells: the probes of the first say nothing
// in the second, but they hold their places until they end.
func TestProbesOfAnEarlierSpell(t *testing.T) {
	r := newRig(t, tripping)
	r.calls(0, 1, outcome.Failure)
	a, b, c := r.allow(1000*ms), r.allow(1000*ms), r.allow(1000*ms)
	r.DoneAt(1100*ms, a, outcome.Failure, 0)
	r.state(2100*ms, HalfOpen)
	d := r.allow(2100 * ms)
	r.refuse(2100 * ms) // b, c and d are in flight
	r.DoneAt(2200*ms, b, outcome.Success, 0)
	r.DoneAt(2200*ms, c, outcome.Failure, 0)
	r.state(2200*ms, HalfOpen)
	r.allow(2200 * ms)
	r.DoneAt(2300*ms, d, outcome.Success, 0)
	r.state(2300*ms, Closed)
}

// resilience4j: releasing a permit of the closed state adds one to the permits
// of the half-open state.
func TestNoPermitInflation(t *testing.T) {
	cfg := tripping
	cfg.Probes = 1
	r := newRig(t, cfg)
	var old []Permit
	for range 10 {
		old = append(old, r.allow(0))
	}
	r.calls(0, 1, outcome.Failure)
	r.allow(1000 * ms)
	for _, p := range old {
		r.DoneAt(1000*ms, p, outcome.Ignored, 0)
	}
	r.refuse(1000 * ms)
}

// gobreaker's two-step form: a probe ended twice counts twice. Here the second
// end finds no place, also when the place was given to another meanwhile.
func TestProbeEndedTwice(t *testing.T) {
	cfg := tripping
	cfg.Probes, cfg.ProbeSuccesses = 1, 3
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	p := r.allow(1000 * ms)
	r.DoneAt(1000*ms, p, outcome.Success, 0)
	r.DoneAt(1000*ms, p, outcome.Success, 0)
	r.DoneAt(1000*ms, p, outcome.Failure, 0)
	r.state(1000*ms, HalfOpen)
	r.allow(1000 * ms)
	r.DoneAt(1000*ms, p, outcome.Ignored, 0)
	r.refuse(1000 * ms)
}

// Sentinel: when a probe is rolled back, the next call probes at once, again
// and again. A failure starts the whole cooldown, and nothing passes in it.
func TestNoStormOfProbes(t *testing.T) {
	r := newRig(t, tripping)
	r.calls(0, 1, outcome.Failure)
	r.calls(1000*ms, 1, outcome.Failure)
	for now := 1000 * ms; now < 2000*ms; now += ms {
		r.refuse(now)
	}
}

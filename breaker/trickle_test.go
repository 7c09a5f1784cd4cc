package breaker

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

func TestTrickle(t *testing.T) {
	cfg := tripping
	cfg.Cooldown = 10 * time.Second
	cfg.Trickle = Trickle{First: 100 * time.Millisecond, Factor: 2, Max: 300 * time.Millisecond, Overlap: 2}
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	r.refuse(99 * ms)
	if got := r.RetryAfterAt(60 * ms); got != 40*time.Millisecond {
		t.Errorf("retry after %v, want 40ms, when the trickle sends", got)
	}
	first := r.allow(100 * ms)
	r.refuse(299 * ms)
	second := r.allow(300 * ms)
	r.refuse(600 * ms) // two in flight
	r.DoneAt(610*ms, first, outcome.Failure, 0)
	third := r.allow(610 * ms)
	r.refuse(620 * ms)
	r.DoneAt(630*ms, third, outcome.Failure, 0)
	r.state(630*ms, Open)
	r.DoneAt(640*ms, second, outcome.Success, 0)
	r.told("open: "+ReasonConsecutive, "closed: "+ReasonProbeSucceeded)
}

// The schedule counts from what was sent: after a time without calls nothing
// is made up for.
func TestTrickleWithLittleTraffic(t *testing.T) {
	cfg := tripping
	cfg.Cooldown = 10 * time.Second
	cfg.Trickle = Trickle{First: 100 * time.Millisecond, Factor: 1}
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	r.calls(5000*ms, 1, outcome.Failure)
	r.refuse(5099 * ms)
	r.allow(5100 * ms)
}

func TestTrickleSuccessAsksForTheRest(t *testing.T) {
	cfg := tripping
	cfg.ProbeSuccesses = 2
	cfg.Trickle.First = 100 * time.Millisecond
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	r.calls(100*ms, 2, outcome.Success)
	r.told("open: "+ReasonConsecutive, "half-open: "+ReasonProbeSucceeded, "closed: "+ReasonProbeSucceeded)
}

func TestTrickleProbeOutlivesTheCooldown(t *testing.T) {
	for _, tt := range []struct {
		o    outcome.Outcome
		want State
	}{{outcome.Success, Closed}, {outcome.Failure, HalfOpen}, {outcome.Ignored, HalfOpen}} {
		cfg := tripping
		cfg.Trickle.First = 900 * time.Millisecond
		r := newRig(t, cfg)
		r.calls(0, 1, outcome.Failure)
		p := r.allow(900 * ms)
		r.state(1000*ms, HalfOpen)
		r.DoneAt(1050*ms, p, tt.o, 0)
		r.state(1050*ms, tt.want)
	}
}

package breaker

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

func TestCooldownThenProbes(t *testing.T) {
	cfg := tripping
	cfg.Probes, cfg.ProbeSuccesses = 2, 2
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	r.refuse(999 * ms)
	if got := r.RetryAfterAt(math.MinInt64); got != time.Second {
		t.Errorf("retry after %v before the beginning of time", got)
	}
	if got := r.RetryAfterAt(400 * ms); got != 600*time.Millisecond {
		t.Errorf("retry after %v, want 600ms", got)
	}
	first, second := r.allow(1000*ms), r.allow(1001*ms)
	if !first.Probe() {
		t.Error("a call while half-open is no probe")
	}
	r.refuse(1002 * ms) // two in flight
	if got := r.RetryAfterAt(1002 * ms); got <= 0 || got > 10*time.Second {
		t.Errorf("retry after %v with probes in flight", got)
	}
	r.DoneAt(1010*ms, first, outcome.Success, 0)
	r.state(1010*ms, HalfOpen)
	r.DoneAt(1020*ms, second, outcome.Success, 0)
	r.state(1020*ms, Closed)
	r.told("open: "+ReasonConsecutive, "half-open: "+ReasonCooldownOver, "closed: "+ReasonProbeSucceeded)
	if m := r.moves[1]; m.At != 1000*ms || m.From != Open {
		t.Errorf("half-open %+v", m)
	}
	if got := r.RetryAfterAt(1020 * ms); got != 0 {
		t.Errorf("retry after %v when closed", got)
	}
}

func TestAFailedProbeReopens(t *testing.T) {
	for _, tt := range []struct {
		o      outcome.Outcome
		took   time.Duration
		reason string
	}{
		{outcome.Failure, 0, ReasonProbeFailed},
		{outcome.Success, 2 * time.Second, ReasonProbeSlow},
		{outcome.Failure, 2 * time.Second, ReasonProbeFailed},
	} {
		cfg := tripping
		cfg.SlowCall = time.Second
		r := newRig(t, cfg)
		r.calls(0, 1, outcome.Failure)
		r.DoneAt(1500*ms, r.allow(1000*ms), tt.o, tt.took)
		r.told("open: "+ReasonConsecutive, "half-open: "+ReasonCooldownOver, "open: "+tt.reason)
		r.refuse(2499 * ms)
		r.allow(2500 * ms)
	}
}

func TestCooldownGrowsAndReturns(t *testing.T) {
	cfg := tripping
	cfg.CooldownFactor, cfg.CooldownMax = 2, 3*time.Second
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	now := int64(0)
	for _, want := range []int64{1000, 2000, 3000, 3000} {
		r.refuse(now + want*ms - 1)
		now += want * ms
		r.DoneAt(now, r.allow(now), outcome.Failure, 0)
	}
	now += 3000 * ms
	r.calls(now, 1, outcome.Success) // closed: the next outage begins anew
	r.calls(now, 1, outcome.Failure)
	r.refuse(now + 1000*ms - 1)
	r.allow(now + 1000*ms)
}

func TestCooldownShrinksToABound(t *testing.T) {
	cfg := tripping
	cfg.CooldownFactor = 0.1
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	now := int64(0)
	for _, want := range []int64{1000, 100, 10, 10} {
		r.refuse(now + want*ms - 1)
		now += want * ms
		r.DoneAt(now, r.allow(now), outcome.Failure, 0)
	}
}

func TestCooldownJitter(t *testing.T) {
	cfg := tripping
	cfg.CooldownJitter = 0.5
	var waits []time.Duration
	for seed := range 50 {
		b, err := New(cfg, Options{Rand: func() float64 { return float64(seed) / 50 }})
		if err != nil {
			t.Fatal(err)
		}
		p, _ := b.AllowAt(0)
		b.DoneAt(0, p, outcome.Failure, 0)
		waits = append(waits, b.RetryAfterAt(0))
	}
	slices.Sort(waits)
	if waits[0] < 500*time.Millisecond || waits[49] > 1500*time.Millisecond {
		t.Errorf("cooldowns from %v to %v, out of 1s +- half", waits[0], waits[49])
	}
	if waits[49]-waits[0] < 500*time.Millisecond {
		t.Errorf("cooldowns from %v to %v are hardly spread", waits[0], waits[49])
	}
}

func TestProbeSuccessesCountFromTheOpening(t *testing.T) {
	cfg := tripping
	cfg.ProbeSuccesses = 2
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	r.calls(1000*ms, 1, outcome.Success)
	r.calls(1000*ms, 1, outcome.Failure)
	r.calls(2000*ms, 1, outcome.Success)
	r.state(2000*ms, HalfOpen)
}

// Only a probe of this half-open spell counts as failed when its lease ends,
// and the first to end dates the reopening.
func TestWhichLeasesReopen(t *testing.T) {
	cfg := tripping
	cfg.ProbeLease = 1500 * time.Millisecond
	t.Run("not that of an earlier spell", func(t *testing.T) {
		r := newRig(t, cfg)
		r.calls(0, 1, outcome.Failure)
		r.allow(1000 * ms)
		r.calls(1000*ms, 1, outcome.Failure)
		r.state(2400*ms, HalfOpen)
		r.state(2600*ms, HalfOpen)
	})
	t.Run("not that of the trickle", func(t *testing.T) {
		early := cfg
		early.Trickle.First = 500 * time.Millisecond
		r := newRig(t, early)
		r.calls(0, 1, outcome.Failure)
		r.allow(500 * ms)
		r.state(2500*ms, HalfOpen)
	})
	t.Run("the first of several", func(t *testing.T) {
		r := newRig(t, cfg)
		r.calls(0, 1, outcome.Failure)
		r.allow(1000 * ms)
		r.allow(1200 * ms)
		r.state(3000*ms, Open)
		if m := r.moves[2]; m.At != 2500*ms || m.Reason != ReasonProbeLeaseOver {
			t.Errorf("%+v, want it at the end of the first lease", m)
		}
	})
}

package breaker

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestEffective(t *testing.T) {
	for name, step := range map[string]struct{ given, want Config }{
		"none stays none": {},
		"a key": {
			Config{Consecutive: 5},
			Config{Window: 10 * time.Second, MinCalls: 20, FailureRatio: 0.5, Consecutive: 5, Cooldown: 5 * time.Second, CooldownFactor: 1, Probes: 3, ProbeSuccesses: 1, ProbeLease: 30 * time.Second, Counts: CountsAttempts},
		},
		"all that waits for another key": {
			Config{Calls: 10, SlowCall: time.Second, CooldownFactor: 2, Ramp: time.Second, Trickle: Trickle{First: time.Second}},
			Config{Calls: 10, MinCalls: 10, FailureRatio: 0.5, SlowCall: time.Second, SlowRatio: 1, Cooldown: 5 * time.Second, CooldownFactor: 2, CooldownMax: 50 * time.Second, Probes: 3, ProbeSuccesses: 1, ProbeLease: 30 * time.Second, Trickle: Trickle{First: time.Second, Factor: 2, Overlap: 1}, Ramp: time.Second, RampFrom: 0.1, Counts: CountsAttempts},
		},
	} {
		if got := step.given.Effective(); got != step.want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, step.want)
		}
	}
}

// What is filled in is valid, and is what the breaker itself would fill in.
func TestEffectiveMeansTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maybe := func(d time.Duration) time.Duration {
			return time.Duration(rapid.IntRange(0, 2).Draw(t, "times")) * d
		}
		c := Config{
			Consecutive: rapid.IntRange(0, 3).Draw(t, "consecutive"),
			SlowCall:    maybe(time.Second), Cooldown: maybe(time.Second), Ramp: maybe(time.Second),
			CooldownFactor: rapid.SampledFrom([]float64{0, 0.5, 1, 3}).Draw(t, "factor"),
			CooldownMax:    maybe(20 * time.Second),
			Trickle:        Trickle{First: maybe(time.Second)},
		}
		if rapid.Bool().Draw(t, "by calls") {
			c.Calls = 30
		}
		e := c.Effective()
		if err := e.Validate(); err != nil {
			t.Fatalf("%+v is not valid: %v", e, err)
		}
		if e.Effective() != e {
			t.Errorf("once more changes %+v", e)
		}
		if full := e.withDefaults(); c.Enabled() && full != c.withDefaults() {
			t.Errorf("%+v\nmeans something else than\n%+v", full, c.withDefaults())
		}
	})
}

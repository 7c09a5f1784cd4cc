package breaker

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestZeroConfig(t *testing.T) {
	var c Config
	if err := c.Validate(); err != nil {
		t.Errorf("the zero value is invalid: %v", err)
	}
	if c.Enabled() {
		t.Error("the zero value is enabled")
	}
	if !(Config{Dark: true}).Enabled() || !(Config{Trickle: Trickle{First: 1}}).Enabled() {
		t.Error("a field is set, but the breaker is not enabled")
	}
	want := Config{
		Window: 10 * time.Second, MinCalls: 20, FailureRatio: 0.5, SlowRatio: 1,
		Cooldown: 5 * time.Second, CooldownFactor: 1, CooldownMax: 50 * time.Second,
		Probes: 3, ProbeSuccesses: 1, ProbeLease: 30 * time.Second, RampFrom: 0.1, Counts: CountsAttempts,
	}
	if got := c.withDefaults(); got != want {
		t.Errorf("defaults\n%+v, want\n%+v", got, want)
	}
}

func TestValidateNamesEachFault(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		cfg  Config
		want string // the beginning of the only fault
	}{
		{Config{Window: -1}, "window: must not be negative, is -1ns"},
		{Config{Window: 1}, "window: must be at least 1ms, is 1ns"},
		{Config{Calls: -1}, "calls: must not be negative"},
		{Config{Calls: 1_000_001}, "calls: must not be more than 1000000"},
		{Config{Calls: 100, Window: time.Second}, "calls: must not be set together with window"},
		{Config{MinCalls: -3}, "min_calls: must not be negative, is -3"},
		{Config{Calls: 10, MinCalls: 11}, "min_calls: must not be more than calls (10)"},
		{Config{FailureRatio: 1.01}, "failure_ratio: must be more than 0 and at most 1"},
		{Config{FailureRatio: -0.1}, "failure_ratio: "},
		{Config{FailureRatio: nan}, "failure_ratio: "},
		{Config{SlowCall: -1}, "slow_call: "},
		{Config{SlowCall: 1, SlowRatio: nan}, "slow_ratio: "},
		{Config{SlowRatio: 0.5}, "slow_ratio: has no effect without slow_call"},
		{Config{Consecutive: -1}, "consecutive: "},
		{Config{Consecutive: 1, ConsecutiveSpan: -1}, "consecutive_span: "},
		{Config{ConsecutiveSpan: 1}, "consecutive_span: has no effect without consecutive"},
		{Config{Cooldown: -time.Second}, "cooldown: must not be negative, is -1s"},
		{Config{CooldownFactor: 0.09}, "cooldown_factor: must be from 0.1 to 10"},
		{Config{CooldownFactor: nan}, "cooldown_factor: "},
		{Config{CooldownMax: -1}, "cooldown_max: "},
		{Config{CooldownMax: time.Second}, "cooldown_max: must not be less than cooldown (5s), is 1s"},
		{Config{CooldownJitter: 1}, "cooldown_jitter: "},
		{Config{CooldownJitter: nan}, "cooldown_jitter: "},
		{Config{Probes: -1}, "probes: "},
		{Config{Probes: 1001}, "probes: "},
		{Config{ProbeSuccesses: -1}, "probe_successes: "},
		{Config{ProbeLease: -1}, "probe_lease: "},
		{Config{Trickle: Trickle{First: -1}}, "trickle.first: "},
		{Config{Trickle: Trickle{First: 1, Factor: 0.5}}, "trickle.factor: must be from 1 to 10"},
		{Config{Trickle: Trickle{First: 2, Max: 1}}, "trickle.max: must not be less than trickle.first"},
		{Config{Trickle: Trickle{First: 1, Max: -1}}, "trickle.max: "},
		{Config{Trickle: Trickle{First: 1, Overlap: -1}}, "trickle.overlap: "},
		{Config{Trickle: Trickle{First: 1, Overlap: 1001}}, "trickle.overlap: "},
		{Config{Trickle: Trickle{Overlap: 2}}, "trickle.overlap: has no effect without trickle.first"},
		{Config{Trickle: Trickle{Factor: 2}}, "trickle.factor: has no effect without trickle.first"},
		{Config{Trickle: Trickle{Max: 2}}, "trickle.max: has no effect without trickle.first"},
		{Config{Ramp: -1}, "ramp: "},
		{Config{Ramp: 1, RampFrom: 2}, "ramp_from: "},
		{Config{RampFrom: 0.5}, "ramp_from: has no effect without ramp"},
		{Config{Counts: "tries"}, `counts: must be attempts or call, is "tries"`},
	} {
		_, err := New(tt.cfg, Options{})
		if err == nil {
			t.Errorf("%+v is accepted, want %q", tt.cfg, tt.want)
		} else if got := err.Error(); !strings.HasPrefix(got, tt.want) || strings.Contains(got, "\n") {
			t.Errorf("got %q, want only %q", got, tt.want)
		}
	}
}

func TestValidateReturnsAllFaults(t *testing.T) {
	err := Config{Window: -1, Cooldown: -1, Trickle: Trickle{Max: 1}, Counts: "x"}.Validate()
	if n := strings.Count(err.Error(), "\n") + 1; n != 4 {
		t.Errorf("%d faults, want 4:\n%v", n, err)
	}
}

func TestEveryFieldHasAYAMLName(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[Config](), reflect.TypeFor[Trickle]()} {
		for f := range typ.Fields() {
			if tag := f.Tag.Get("yaml"); tag == "" || tag != strings.ToLower(tag) {
				t.Errorf("%v.%s: yaml tag %q", typ, f.Name, tag)
			}
		}
	}
}

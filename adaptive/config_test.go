package adaptive

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		cfg  interface{ Validate() error }
		want string
	}{
		{Config{}, ""},
		{Config{Algorithm: Vegas, Initial: 5, Min: 5, Max: 5, Window: time.Second, Tolerance: 1.1, LossTolerance: 0.2, ProbeEvery: time.Minute}, ""},
		{Config{Min: 2000}, ""},
		{Config{Max: 1}, ""},
		{Config{Max: 5}, ""},
		{Config{Algorithm: "tcp", Initial: -1, Window: -1, Tolerance: 2, LossTolerance: math.NaN(), ProbeEvery: 1},
			`algorithm: must be gradient, vegas, aimd, is "tcp"
initial: must be between 2 and 1000, which are min and max, is -1
window: must be between 1ms and 1m, is -1ns
tolerance: must be between 1.05 and 1.5, is 2
loss_tolerance: must be above 0 and at most 0.5, is NaN
probe_every: must be between 1s and 1h, is 1ns`},
		{Config{Min: 10, Max: 5}, "min: must be at most max, which is 5, is 10"},
		{Config{Min: -1, Max: -1}, "min: must be between 1 and 1000000, is -1\nmax: must be between 1 and 1000000, is -1"},
		{Config{Initial: 1001}, "initial: must be between 2 and 1000, which are min and max, is 1001"},
		{ThrottleConfig{}, ""},
		{ThrottleConfig{K: 1.1, Window: time.Minute, MaxReject: 0.8}, ""},
		{ThrottleConfig{K: 0.5, Window: -1, MaxReject: 1},
			"k: must be between 1 and 100, is 0.5\nwindow: must be between 1s and 1h, is -1ns\nmax_reject: must be above 0 and at most 0.999, is 1"},
		{ThrottleConfig{K: math.NaN()}, "k: must be between 1 and 100, is NaN"},
	} {
		got := ""
		if err := tt.cfg.Validate(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v:\n%s\nwant\n%s", tt.cfg, indent(got), indent(tt.want))
		}
	}
	if _, err := New(Config{Min: -1}); err == nil {
		t.Error("made in spite of a fault")
	}
	if _, err := NewThrottle(ThrottleConfig{K: -1}, nil); err == nil {
		t.Error("made in spite of a fault")
	}
}

func indent(s string) string { return "\t" + strings.ReplaceAll(s, "\n", "\n\t") }

func TestEffective(t *testing.T) {
	want := Config{Gradient, 20, 2, 1000, 500 * time.Millisecond, 1.2, 0.05, time.Minute}
	if got := (Config{}).Effective(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := want.Effective(); got != want {
		t.Errorf("not stable: %+v", got)
	}
	if got := (Config{Max: 1}).Effective(); got.Min != 1 || got.Initial != 1 {
		t.Errorf("%+v", got)
	}
	if got := (Config{Min: 2000}).Effective(); got.Max != 2000 || got.Initial != 2000 {
		t.Errorf("%+v", got)
	}
	throttle := ThrottleConfig{2, 30 * time.Second, 0.9}
	if got := (ThrottleConfig{}).Effective(); got != throttle {
		t.Errorf("%+v, want %+v", got, throttle)
	}
}

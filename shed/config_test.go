package shed

import (
	"strings"
	"testing"
	"time"
)

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		cfg  Config
		want string
	}{
		{Config{}, ""},
		{Config{Limit: 20, Queue: 40, Target: time.Millisecond, Interval: time.Second}, ""},
		{Config{Target: time.Second}, ""},
		{Config{Limit: -1, Queue: 1_000_001, Target: -1, Interval: time.Hour}, `limit: must be between 0 and 1000000, is -1
queue: must be between 0 and 1000000, is 1000001
target: must be between 100µs and 10s, is -1ns
interval: must be between the target, 0s, and 1m, is 1h0m0s`},
		{Config{Interval: time.Millisecond}, "interval: must be between the target, 5ms, and 1m, is 1ms"},
	} {
		got := ""
		if err := tt.cfg.Validate(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v:\n%s\nwant\n%s", tt.cfg, indent(got), indent(tt.want))
		}
	}
	if _, err := New(Config{Limit: -1}, nil, nil); err == nil {
		t.Error("made in spite of a fault")
	}
}

func indent(s string) string { return "\t" + strings.ReplaceAll(s, "\n", "\n\t") }

func TestEffective(t *testing.T) {
	want := Config{Target: 5 * time.Millisecond, Interval: 100 * time.Millisecond}
	if got := (Config{}).Effective(); got != want || want.Effective() != want {
		t.Errorf("%+v", got)
	}
	if got := (Config{Target: time.Second}).Effective(); got.Interval != time.Second {
		t.Errorf("%+v", got)
	}
}

package quota

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestValidateTellsAllFaults(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  Config
		want []string // how each fault begins
	}{
		{"zero", Config{}, nil},
		{"rate only", Config{Rate: 1}, nil},
		{"all of leased", Config{Mode: ModeLeased, Rate: 100, Window: time.Minute, Burst: 50, Keys: 10, Timeout: time.Second, OnFailure: FailLocal,
			Instances: 3, Remember: time.Minute, Period: time.Second, MaxSlice: 10, Term: time.Second}, nil},
		{"all out of range", Config{Mode: "x", Rate: -1, Window: 1, Burst: math.Inf(1), Keys: -1, Timeout: 1, OnFailure: "x",
			Instances: -1, Remember: 1, Period: 1, MaxSlice: math.NaN(), Term: 1},
			[]string{"mode", "rate", "window", "burst", "keys", "timeout", "on_failure", "instances", "remember", "period", "max_slice", "term"}},
		{"no number", Config{Rate: math.NaN()}, []string{"rate"}},
		{"local without a number", Config{Mode: ModeCentral, Rate: 1, OnFailure: FailLocal}, []string{"instances"}},
		{"no effect embedded", Config{Rate: 1, Timeout: time.Second, OnFailure: FailOpen, Remember: time.Second, Period: time.Second, MaxSlice: 1, Term: time.Second},
			[]string{"timeout", "on_failure", "remember", "period", "max_slice", "term"}},
		{"no effect central", Config{Mode: ModeCentral, Rate: 1, Period: time.Second}, []string{"period"}},
		{"no effect open", Config{Mode: ModeCentral, Rate: 1, OnFailure: FailOpen, Instances: 5}, []string{"instances"}},
		{"slice above burst", Config{Mode: ModeLeased, Rate: 10, MaxSlice: 11}, []string{"max_slice"}},
		{"term below period", Config{Mode: ModeLeased, Rate: 10, Term: 100 * time.Millisecond}, []string{"term"}},
	} {
		err := tt.cfg.Validate()
		var got []string
		if err != nil {
			got = strings.Split(err.Error(), "\n")
		}
		if len(got) != len(tt.want) {
			t.Errorf("%s: %d faults, want %d: %q", tt.name, len(got), len(tt.want), got)
			continue
		}
		for i, want := range tt.want {
			if !strings.HasPrefix(got[i], want+": ") {
				t.Errorf("%s: %q, want one of %s", tt.name, got[i], want)
			}
		}
	}
}

func TestEffective(t *testing.T) {
	for _, tt := range []struct{ cfg, want Config }{
		{Config{}, Config{}},
		{Config{Mode: ModeLeased}, Config{Mode: ModeLeased}},
		{Config{Rate: 0.5}, Config{Mode: ModeEmbedded, Rate: 0.5, Window: time.Second, Burst: 1, Keys: 100_000}},
		{Config{Mode: ModeCentral, Rate: 10}, Config{Mode: ModeCentral, Rate: 10, Window: time.Second, Burst: 10, Keys: 100_000,
			Timeout: 50 * time.Millisecond, OnFailure: FailOpen, Remember: 5 * time.Second}},
		{Config{Mode: ModeLeased, Rate: 100, Instances: 4}, Config{Mode: ModeLeased, Rate: 100, Window: time.Second, Burst: 100, Keys: 100_000,
			Timeout: 50 * time.Millisecond, OnFailure: FailLocal, Instances: 4, Remember: 5 * time.Second,
			Period: 250 * time.Millisecond, MaxSlice: 25, Term: 2 * time.Second}},
		{Config{Mode: ModeLeased, Rate: 1, Period: 10 * time.Second}, Config{Mode: ModeLeased, Rate: 1, Window: time.Second, Burst: 1, Keys: 100_000,
			Timeout: 50 * time.Millisecond, OnFailure: FailOpen, Remember: 5 * time.Second,
			Period: 10 * time.Second, MaxSlice: 1, Term: 10 * time.Second}},
	} {
		if got := tt.cfg.Effective(); got != tt.want {
			t.Errorf("%+v\nbecomes %+v\nwant    %+v", tt.cfg, got, tt.want)
		}
	}
}

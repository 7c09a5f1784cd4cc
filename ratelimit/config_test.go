package ratelimit_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/ratelimit"
)

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		cfg  ratelimit.Config
		want string // faults, one a line
	}{
		{ratelimit.Config{}, ""},
		{ratelimit.Config{Rate: 100}, ""},
		{ratelimit.Config{Burst: 5}, ""}, // off
		{ratelimit.Config{Rate: 1e-9, Window: 8784 * time.Hour, Burst: 1e12, MaxWait: 24 * time.Hour}, ""},
		{ratelimit.Config{Algorithm: ratelimit.LeakyShaper, Rate: 1, Queue: 5, MaxWait: 1}, ""},
		{ratelimit.Config{Algorithm: "bucket", Rate: -1, Window: 1, Burst: math.NaN(), Queue: -1, MaxWait: -1},
			`algorithm: must be token_bucket, leaky_meter, leaky_shaper, sliding_log, sliding_counter, is "bucket"
rate: must be 0, which is off, or between 1e-09 and 1e+12, is -1
window: must be between 1ms and 8784h0m0s, is 1ns
burst: must be between 1e-09 and 1e+12, is NaN
queue: must be between 0 and 1048576, is -1
max_wait: must not be negative, is -1ns`},
		{ratelimit.Config{Rate: math.NaN(), Burst: math.Inf(1), Queue: 1, MaxWait: 25 * time.Hour},
			`rate: must be 0, which is off, or between 1e-09 and 1e+12, is NaN
burst: must be between 1e-09 and 1e+12, is +Inf
queue: has no effect with token_bucket
max_wait: must be at most 24h0m0s, is 25h0m0s`},
		{ratelimit.Config{Rate: math.Inf(1), Window: -1, Burst: -1}, `rate: must be 0, which is off, or between 1e-09 and 1e+12, is +Inf
window: must be between 1ms and 8784h0m0s, is -1ns
burst: must be between 1e-09 and 1e+12, is -1`},
		{ratelimit.Config{Algorithm: ratelimit.SlidingLog, Rate: 1e9, Burst: 1, MaxWait: 1},
			`rate: must be at most 1048576 with sliding_log, which remembers each, is 1e+09
burst: has no effect with sliding_log
max_wait: has no effect with sliding_log`},
		{ratelimit.Config{Algorithm: ratelimit.SlidingCounter, Rate: 2e9, Queue: 1},
			`rate: must be at most 1e+09 with sliding_counter, is 2e+09
queue: has no effect with sliding_counter`},
		{ratelimit.Config{Algorithm: ratelimit.LeakyShaper, Rate: 1, Burst: 3, Queue: 1},
			`burst: has no effect with leaky_shaper
max_wait: must be positive with a queue, is 0s`},
		{ratelimit.Config{Algorithm: ratelimit.LeakyShaper, Rate: 1, MaxWait: 1},
			`max_wait: has no effect with leaky_shaper without a queue`},
		{ratelimit.Config{Algorithm: ratelimit.LeakyMeter, Rate: 5e-324, Queue: 1 << 21, MaxWait: 1},
			`rate: must be 0, which is off, or between 1e-09 and 1e+12, is 5e-324
queue: must be between 0 and 1048576, is 2097152
max_wait: has no effect with leaky_meter`},
	} {
		got := ""
		if err := tt.cfg.Validate(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%+v:\n%s\nwant\n%s", tt.cfg, got, tt.want)
		}
		if l, err := ratelimit.New(tt.cfg); (err != nil) != (tt.want != "") || (l == nil) != (err != nil) {
			t.Errorf("%+v: New gives %v, %v", tt.cfg, l, err)
		}
	}
	err := ratelimit.KeyedConfig{Rate: -1, Window: -1, Burst: -1, Keys: 1e9}.Validate()
	if err == nil || strings.Count(err.Error(), "\n") != 3 || !strings.HasSuffix(err.Error(), "keys: must be between 0 and 100000000, is 1000000000") {
		t.Error(err)
	}
}

func TestEffective(t *testing.T) {
	for cfg, want := range map[ratelimit.Config]ratelimit.Config{
		{}:                               {},
		{Rate: 5}:                        {Algorithm: ratelimit.TokenBucket, Rate: 5, Window: time.Second, Burst: 5},
		{Rate: 0.5, Window: time.Minute}: {Algorithm: ratelimit.TokenBucket, Rate: 0.5, Window: time.Minute, Burst: 1},
		{Rate: 5, Burst: 2}:              {Algorithm: ratelimit.TokenBucket, Rate: 5, Window: time.Second, Burst: 2},
		{Algorithm: ratelimit.LeakyMeter, Rate: 5}:              {Algorithm: ratelimit.LeakyMeter, Rate: 5, Window: time.Second, Burst: 1},
		{Algorithm: ratelimit.SlidingLog, Rate: 5}:              {Algorithm: ratelimit.SlidingLog, Rate: 5, Window: time.Second},
		{Algorithm: ratelimit.LeakyShaper, Rate: 5, MaxWait: 1}: {Algorithm: ratelimit.LeakyShaper, Rate: 5, Window: time.Second, MaxWait: 1},
	} {
		if got := cfg.Effective(); got != want {
			t.Errorf("%+v: %+v", cfg, got)
		} else if got.Effective() != got {
			t.Errorf("%+v: not the same twice", cfg)
		}
	}
	for cfg, want := range map[ratelimit.KeyedConfig]ratelimit.KeyedConfig{
		{}:                    {},
		{Rate: 5}:             {Rate: 5, Window: time.Second, Burst: 5, Keys: 10_000},
		{Rate: 0.5, Keys: 10}: {Rate: 0.5, Window: time.Second, Burst: 1, Keys: 10},
	} {
		if got := cfg.Effective(); got != want {
			t.Errorf("%+v: %+v", cfg, got)
		}
	}
}

package breaker

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

const ms = int64(time.Millisecond)

// rig is a breaker with what it told.
type rig struct {
	*Breaker
	t     *testing.T
	moves []Transition
}

func newRig(t *testing.T, cfg Config) *rig {
	t.Helper()
	r := &rig{t: t}
	b, err := New(cfg, Options{
		OnTransition: func(m Transition) { r.moves = append(r.moves, m) },
		Rand:         func() float64 { return 0.5 },
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Breaker = b
	return r
}

// allow demands that a call is admitted.
func (r *rig) allow(now int64) Permit {
	r.t.Helper()
	p, ok := r.AllowAt(now)
	if !ok {
		r.t.Fatalf("at %v: refused while %v", time.Duration(now), r.StateAt(now))
	}
	return p
}

func (r *rig) refuse(now int64) {
	r.t.Helper()
	if _, ok := r.AllowAt(now); ok {
		r.t.Fatalf("at %v: admitted while %v", time.Duration(now), r.StateAt(now))
	}
}

// calls makes n calls with one outcome at one instant.
func (r *rig) calls(now int64, n int, o outcome.Outcome) {
	r.t.Helper()
	for range n {
		r.DoneAt(now, r.allow(now), o, 0)
	}
}

func (r *rig) state(now int64, want State) {
	r.t.Helper()
	if got := r.StateAt(now); got != want {
		r.t.Fatalf("at %v: %v, want %v", time.Duration(now), got, want)
	}
}

// told demands the transitions so far, as "open: failure ratio".
func (r *rig) told(want ...string) {
	r.t.Helper()
	var got []string
	for _, m := range r.moves {
		got = append(got, m.To.String()+": "+m.Reason)
	}
	if !slices.Equal(got, want) {
		r.t.Fatalf("transitions\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// tripping opens at the first failure, to keep the tests of what follows short.
var tripping = Config{Consecutive: 1, Cooldown: time.Second}

func TestWhenItOpens(t *testing.T) {
	type call struct {
		at   int64
		n    int
		o    outcome.Outcome
		took time.Duration
	}
	const second = time.Second
	tests := []struct {
		name  string
		cfg   Config
		calls []call
		want  string // the reason, empty if it stays closed
	}{
		{"nothing but successes", Config{}, []call{{0, 100, outcome.Success, second}}, ""},
		{"the ratio at its threshold", Config{}, []call{{0, 10, outcome.Success, 0}, {0, 10, outcome.Failure, 0}}, ReasonFailureRatio},
		{"the ratio below it", Config{}, []call{{0, 11, outcome.Success, 0}, {0, 10, outcome.Failure, 0}}, ""},
		{"too few calls", Config{}, []call{{0, 19, outcome.Failure, 0}}, ""},
		{"a success completes the minimum", Config{}, []call{{0, 19, outcome.Failure, 0}, {0, 1, outcome.Success, 0}}, ReasonFailureRatio},
		{"ignored calls complete nothing", Config{}, []call{{0, 19, outcome.Failure, 0}, {0, 50, outcome.Ignored, second}}, ""},
		{"an unknown outcome counts for nothing", Config{MinCalls: 1}, []call{{0, 5, outcome.Outcome(77), 0}}, ""},
		{"failures that left the window", Config{}, []call{{0, 19, outcome.Failure, 0}, {10_000 * ms, 1, outcome.Failure, 0}}, ""},
		{"a window by count does not age", Config{Calls: 20}, []call{{0, 19, outcome.Failure, 0}, {1e6 * ms, 1, outcome.Failure, 0}}, ReasonFailureRatio},
		{"a window by count forgets", Config{Calls: 20, FailureRatio: 0.6}, []call{{0, 11, outcome.Failure, 0}, {0, 20, outcome.Success, 0}, {0, 11, outcome.Failure, 0}}, ""},
		{"a short window by count has a small minimum", Config{Calls: 5}, []call{{0, 5, outcome.Failure, 0}}, ReasonFailureRatio},
		{"slow calls", Config{SlowCall: second}, []call{{0, 20, outcome.Success, second + 1}}, ReasonSlowRatio},
		{"slow means longer than", Config{SlowCall: second}, []call{{0, 20, outcome.Success, second}}, ""},
		{"a slow failure is slow too", Config{SlowCall: second, FailureRatio: 1, SlowRatio: 0.2}, []call{{0, 16, outcome.Success, 0}, {0, 4, outcome.Failure, 2 * second}}, ReasonSlowRatio},
		{"consecutive", Config{Consecutive: 5}, []call{{0, 5, outcome.Failure, 0}}, ReasonConsecutive},
		{"consecutive, interrupted", Config{Consecutive: 5}, []call{{0, 4, outcome.Failure, 0}, {0, 1, outcome.Success, 0}, {0, 4, outcome.Failure, 0}}, ""},
		{"consecutive, ignored does not interrupt", Config{Consecutive: 5}, []call{{0, 4, outcome.Failure, 0}, {0, 1, outcome.Ignored, 0}, {0, 1, outcome.Failure, 0}}, ReasonConsecutive},
		{"consecutive at a high rate", Config{Consecutive: 5, ConsecutiveSpan: 50 * time.Millisecond},
			[]call{{0, 1, outcome.Failure, 0}, {1 * ms, 1, outcome.Failure, 0}, {2 * ms, 1, outcome.Failure, 0}, {3 * ms, 1, outcome.Failure, 0}, {4 * ms, 1, outcome.Failure, 0}}, ""},
		{"twice as many consecutive at a high rate", Config{Consecutive: 5, ConsecutiveSpan: 50 * time.Millisecond}, []call{{0, 10, outcome.Failure, 0}}, ReasonConsecutive},
		{"not quite twice as many", Config{Consecutive: 5, ConsecutiveSpan: 50 * time.Millisecond}, []call{{0, 9, outcome.Failure, 0}}, ""},
		{"consecutive at a low rate", Config{Consecutive: 5, ConsecutiveSpan: 50 * time.Millisecond},
			[]call{{0, 1, outcome.Failure, 0}, {20 * ms, 1, outcome.Failure, 0}, {40 * ms, 1, outcome.Failure, 0}, {60 * ms, 1, outcome.Failure, 0}, {80 * ms, 1, outcome.Failure, 0}}, ReasonConsecutive},
		{"consecutive after an idle hour is still too fast", Config{Consecutive: 2, ConsecutiveSpan: 50 * time.Millisecond},
			[]call{{0, 1, outcome.Success, 0}, {3_600_000 * ms, 2, outcome.Failure, 0}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.cfg)
			for _, c := range tt.calls {
				for range c.n {
					r.DoneAt(c.at, r.allow(c.at), c.o, c.took)
				}
			}
			if tt.want == "" {
				r.told()
			} else {
				r.told("open: " + tt.want)
			}
		})
	}
}

func TestSaturation(t *testing.T) {
	r := newRig(t, Config{
		Window: math.MaxInt64, Consecutive: 1, Cooldown: math.MaxInt64 - 1, CooldownFactor: 10, CooldownJitter: 0.9,
		ProbeLease: math.MaxInt64, Ramp: math.MaxInt64, Trickle: Trickle{First: 1, Factor: 10},
	})
	r.calls(math.MinInt64, 1, outcome.Failure)
	for _, now := range []int64{1, math.MaxInt64, math.MinInt64, 0, math.MaxInt64} {
		if p, ok := r.AllowAt(now); ok {
			r.DoneAt(now, p, outcome.Failure, math.MaxInt64)
		}
		if d := r.RetryAfterAt(now); d < 0 {
			t.Errorf("at %d: retry after %v", now, d)
		}
		r.StatsAt(now)
	}
	if s := r.StateAt(math.MaxInt64); s != Open && s != HalfOpen {
		t.Errorf("state %v", s)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	b, _ := New(Config{Window: time.Second}, Options{})
	c, _ := New(tripping, Options{})
	p, _ := c.AllowAt(0)
	c.DoneAt(0, p, outcome.Failure, 0)
	now := int64(0)
	if n := testing.AllocsPerRun(1000, func() {
		now += 1000
		p, _ := b.AllowAt(now)
		b.DoneAt(now, p, outcome.Success, 0)
		c.AllowAt(1)
		c.RetryAfterAt(1)
		q, _ := c.AllowAt(2000 * ms) // a probe
		c.DoneAt(2000*ms, q, outcome.Ignored, 0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

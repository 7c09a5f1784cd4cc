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

func TestRampAdmitsEvenly(t *testing.T) {
	cfg := tripping
	cfg.Ramp, cfg.RampFrom = time.Second, 0.25
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	r.calls(1000*ms, 1, outcome.Success)
	var picture strings.Builder
	for now := 1000 * ms; now < 2100*ms; now += 20 * ms {
		if p, ok := r.AllowAt(now); ok {
			r.DoneAt(now, p, outcome.Success, 0)
			picture.WriteByte('x')
		} else {
			picture.WriteByte('.')
		}
	}
	const want = "x..x..x..x..x.x.x.x.x.xx.xx.xx.xx.xxxx.xxxxxxx.xxxxxxxx"
	if got := picture.String(); got != want {
		t.Errorf("ramp from a quarter over 50 calls:\n%s\nwant\n%s", got, want)
	}
	if p, _ := r.AllowAt(2200 * ms); p.kind != call || r.word.Load()&1 == 0 {
		t.Error("the path without a lock is not used after the ramp")
	}
}

func TestReopeningOnTheRampIsTheSameOutage(t *testing.T) {
	cfg := tripping
	cfg.Ramp, cfg.CooldownFactor = time.Second, 2
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	r.calls(1000*ms, 1, outcome.Success)
	r.calls(1100*ms, 1, outcome.Failure)
	r.refuse(3099 * ms)
	r.calls(3100*ms, 1, outcome.Success)
	r.calls(5000*ms, 1, outcome.Failure) // the ramp was over
	r.refuse(5999 * ms)
	r.allow(6000 * ms)
}

func TestForced(t *testing.T) {
	cfg := tripping
	cfg.Trickle.First = time.Millisecond
	cfg.Ramp = time.Second
	r := newRig(t, cfg)

	old := r.allow(0)
	r.ForceOpenAt(1 * ms)
	r.ForceOpenAt(2 * ms)
	r.refuse(math.MaxInt64)
	if got := r.RetryAfterAt(2 * ms); got != time.Second {
		t.Errorf("retry after %v, want the cooldown", got)
	}
	r.DoneAt(3*ms, old, outcome.Success, 0)
	r.state(3*ms, ForcedOpen)

	r.ForceClosedAt(4 * ms)
	r.calls(5*ms, 50, outcome.Failure)
	r.state(5*ms, ForcedClosed)
	if s := r.StatsAt(5 * ms); s.Total != 50 || s.Consecutive != 50 {
		t.Errorf("forced closed does not count: %+v", s)
	}
	r.AutoAt(6 * ms)
	r.AutoAt(7 * ms)
	r.calls(7*ms, 3, outcome.Success) // no ramp: all was admitted before
	r.calls(8*ms, 1, outcome.Failure)
	r.state(8*ms, Open)

	r.ForceOpenAt(9 * ms)
	r.AutoAt(10 * ms)
	r.allow(10 * ms)
	r.refuse(10 * ms) // ramp
	r.ForceClosedAt(11 * ms)
	r.AutoAt(12 * ms)
	r.calls(12*ms, 3, outcome.Success) // it does not go on
	r.told("forced-open: "+ReasonForced, "forced-closed: "+ReasonForced, "closed: "+ReasonAuto,
		"open: "+ReasonConsecutive, "forced-open: "+ReasonForced, "closed: "+ReasonAuto,
		"forced-closed: "+ReasonForced, "closed: "+ReasonAuto)
}

func TestDarkDecidesButRefusesNothing(t *testing.T) {
	live, dark := tripping, tripping
	dark.Dark = true
	a, b := newRig(t, live), newRig(t, dark)
	for now := int64(0); now < 5000*ms; now += 10 * ms {
		o := outcome.Failure
		if now >= 2500*ms {
			o = outcome.Success
		}
		p, ok := a.AllowAt(now)
		q := b.allow(now)
		if ok == q.WouldRefuse() {
			t.Fatalf("at %v: admitted %v, would refuse %v", time.Duration(now), ok, q.WouldRefuse())
		}
		a.DoneAt(now, p, o, 0)
		b.DoneAt(now, q, o, 0)
	}
	if !slices.Equal(a.moves, b.moves) || len(a.moves) < 4 {
		t.Errorf("transitions differ:\n%v\n%v", a.moves, b.moves)
	}
	sa, sb := a.StatsAt(0), b.StatsAt(0)
	if sa.Refused == 0 || sa.Refused != sb.WouldRefuse || sb.Refused != 0 || sa.WouldRefuse != 0 {
		t.Errorf("refused %d, would refuse %d", sa.Refused, sb.WouldRefuse)
	}
	b.ForceOpenAt(6000 * ms)
	b.allow(6000 * ms)
}

func TestStats(t *testing.T) {
	r := newRig(t, Config{SlowCall: time.Second, Consecutive: 3, Cooldown: time.Second})
	r.DoneAt(0, r.allow(0), outcome.Success, 2*time.Second)
	r.calls(0, 2, outcome.Failure)
	if got, want := r.StatsAt(0), (Stats{Total: 3, Failures: 2, Slow: 1, Consecutive: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	r.calls(1*ms, 1, outcome.Failure)
	r.refuse(1 * ms)
	r.allow(1001 * ms)
	if got, want := r.StatsAt(1001*ms), (Stats{State: HalfOpen, Since: 1001 * ms, Probes: 1, Opened: 1, Refused: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
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

func TestShorthandsUseTheMonotonicClock(t *testing.T) {
	b, _ := New(Config{Consecutive: 1, Cooldown: time.Hour}, Options{})
	p, ok := b.Allow()
	b.Done(p, outcome.Failure, 0)
	if !ok || b.State() != Open {
		t.Fatalf("admitted %v, then %v", ok, b.State())
	}
	if _, ok := b.Allow(); ok {
		t.Error("admitted while open")
	}
}

func TestStateNames(t *testing.T) {
	var got []string
	for s := range ForcedClosed + 2 {
		got = append(got, s.String())
	}
	if want := []string{"closed", "open", "half-open", "forced-open", "forced-closed", "state(5)"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

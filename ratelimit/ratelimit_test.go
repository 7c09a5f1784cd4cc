package ratelimit_test

import (
	"math"
	"testing"
	"time"

	"github.com/stanch-go/stanch/ratelimit"
)

var algorithms = []ratelimit.Algorithm{
	ratelimit.TokenBucket, ratelimit.LeakyMeter, ratelimit.LeakyShaper, ratelimit.SlidingLog, ratelimit.SlidingCounter,
}

const (
	ms     = int64(time.Millisecond)
	second = int64(time.Second)
	never  = ratelimit.Never
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A step is a request at an instant and the decision that it must get.
type step struct {
	at   int64
	cost float64
	ratelimit.Decision
}

func yes(at int64, cost, remaining float64, reset time.Duration) step {
	return step{at, cost, ratelimit.Decision{OK: true, Remaining: remaining, ResetAfter: reset}}
}

func no(at int64, cost float64, retry time.Duration, remaining float64, reset time.Duration) step {
	return step{at, cost, ratelimit.Decision{RetryAfter: retry, Remaining: remaining, ResetAfter: reset}}
}

func run(t *testing.T, l ratelimit.Limiter, steps []step) {
	t.Helper()
	for i, s := range steps {
		if got := l.AllowAt(s.at, s.cost); got != s.Decision {
			t.Fatalf("step %d, %v at %v:\n got %+v\nwant %+v", i, s.cost, time.Duration(s.at), got, s.Decision)
		}
	}
}

func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		name  string
		cfg   ratelimit.Config
		steps []step
	}{
		{"token bucket", ratelimit.Config{Rate: 100, Burst: 3}, []step{
			yes(0, 1, 2, 10e6), yes(0, 1, 1, 20e6), yes(0, 1, 0, 30e6),
			no(0, 1, 10e6, 0, 30e6), no(9*ms+999_999, 1, 1, 0.9999999, 20e6+1),
			yes(10*ms, 1, 0, 30e6), no(10*ms, 3, 30e6, 0, 30e6), no(10*ms, 4, never, 0, 30e6),
			yes(15*ms, 0, 0.5, 25e6), yes(15*ms, 0.5, 0, 30e6),
			yes(2*second, 3, 0, 30e6), // idle, but no more than the burst
		}},
		{"token bucket by the minute", ratelimit.Config{Rate: 100, Window: time.Minute}, []step{
			yes(3*second, 100, 0, time.Minute), no(3*second, 1, 600e6, 0, time.Minute), yes(3600*ms, 1, 0, time.Minute),
		}},
		{"token bucket, early by less than a unit of 6 ns", ratelimit.Config{Rate: 100, Window: time.Minute}, []step{
			yes(second, 100, 0, time.Minute-4), no(second, 1, 600e6-4, 0, time.Minute-4), yes(1600*ms-4, 1, 0, time.Minute),
		}},
		{"token bucket with fractions", ratelimit.Config{Rate: 0.5}, []step{
			yes(0, 0.25, 0.75, 500e6), yes(0, 0.75, 0, 2e9), no(0, 1, 2e9, 0, 2e9), yes(2*second, 1, 0, 2e9),
		}},
		{"leaky meter", ratelimit.Config{Algorithm: ratelimit.LeakyMeter, Rate: 100}, []step{
			yes(0, 1, 0, 10e6), no(ms, 1, 9e6, 0.1, 9e6), yes(10*ms, 1, 0, 10e6), yes(1000*ms, 1, 0, 10e6), no(1000*ms, 1, 10e6, 0, 10e6),
		}},
		{"leaky shaper", ratelimit.Config{Algorithm: ratelimit.LeakyShaper, Rate: 100}, []step{
			yes(0, 0, 100, 0), yes(0, 1, 0, 10e6), no(9*ms, 1, 1e6, 0, 1e6), yes(10*ms, 5, 0, 50e6), no(59*ms, 1, 1e6, 0, 1e6), yes(60*ms, 1, 0, 10e6),
			no(60*ms, 101, never, 0, 10e6),
		}},
		{"sliding log", ratelimit.Config{Algorithm: ratelimit.SlidingLog, Rate: 3}, []step{
			yes(0, 1, 2, 1e9), yes(100*ms, 2, 0, 1e9), no(200*ms, 1, 800e6, 0, 900e6), no(200*ms, 2, 900e6, 0, 900e6), no(200*ms, 4, never, 0, 900e6),
			no(999*ms, 1, 1e6, 0, 101e6), yes(1000*ms, 1, 0, 1e9), yes(1100*ms, 2, 0, 1e9), yes(2100*ms, 3, 0, 1e9),
		}},
		{"sliding counter", ratelimit.Config{Algorithm: ratelimit.SlidingCounter, Rate: 10}, []step{
			yes(500*ms, 10, 0, 1500e6), no(999*ms, 1, 101e6, 0, 1001e6),
			no(1000*ms, 1, 100e6, 0, 1e9), yes(1100*ms, 1, 0, 1900e6), yes(1500*ms, 4, 0, 1500e6),
			no(1500*ms, 6, 700e6, 0, 1500e6), yes(1800*ms, 0, 3, 1200e6), no(1800*ms, 6, 400e6, 3, 1200e6),
			yes(2*second, 5, 0, 2e9), yes(9*second, 10, 0, 2e9),
		}},
		{"off", ratelimit.Config{}, []step{
			yes(0, 1e300, math.Inf(1), 0), no(0, -1, never, math.Inf(1), 0),
		}},
	} {
		t.Run(tt.name, func(t *testing.T) { run(t, must(ratelimit.New(tt.cfg)), tt.steps) })
	}
}

// Every cost has an answer, by every algorithm, and one that is refused changes
// nothing.
func TestStrangeCosts(t *testing.T) {
	for _, a := range algorithms {
		for _, rate := range []float64{1e-9, 0.3, 1, 7, 1e6} {
			l := must(ratelimit.New(ratelimit.Config{Algorithm: a, Rate: rate}))
			l.AllowAt(second, rate/2)
			before := l.AllowAt(second, 0)
			if !before.OK {
				t.Errorf("%s: a cost of 0 is refused: %+v", a, before)
			}
			for _, cost := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, -math.MaxFloat64, -math.SmallestNonzeroFloat64, math.MaxFloat64, 1e13, 1e300} {
				if d := l.AllowAt(second, cost); d.OK || d.RetryAfter != never {
					t.Errorf("%s at rate %v: a cost of %v got %+v", a, rate, cost, d)
				}
			}
			if after := l.AllowAt(second, 0); after != before {
				t.Errorf("%s at rate %v: refusals changed %+v to %+v", a, rate, before, after)
			}
			if d := l.AllowAt(second, math.Copysign(0, -1)); !d.OK {
				t.Errorf("%s at rate %v: -0 got %+v", a, rate, d)
			}
		}
		// Off, and costs below any unit, which are not free.
		off := must(ratelimit.New(ratelimit.Config{Algorithm: a}))
		for cost, ok := range map[float64]bool{math.NaN(): false, math.Inf(1): true, 1e300: true, 0: true, -1: false, math.Inf(-1): false} {
			if d := off.AllowAt(0, cost); d.OK != ok || !math.IsInf(d.Remaining, 1) {
				t.Errorf("%s off: %v got %+v", a, cost, d)
			}
		}
		tiny := must(ratelimit.New(ratelimit.Config{Algorithm: a, Rate: 1}))
		if d := tiny.AllowAt(0, math.SmallestNonzeroFloat64); !d.OK || d.ResetAfter == 0 {
			t.Errorf("%s: the smallest cost got %+v", a, d)
		}
	}
}

// The largest and smallest limits still count, and time may be as late as there is.
func TestStrangeLimits(t *testing.T) {
	for _, a := range algorithms {
		for _, c := range []ratelimit.Config{
			{Rate: 1e-9, Window: 8784 * time.Hour}, {Rate: 1e-9, Window: time.Millisecond},
			{Rate: 1e12, Window: 8784 * time.Hour}, {Rate: 1e12, Window: time.Millisecond},
			{Rate: 1e12, Burst: 1e-9}, {Rate: 1e-9, Burst: 1e12},
		} {
			c.Algorithm = a
			if a == ratelimit.SlidingLog {
				c.Rate = min(c.Rate, 1<<20)
			}
			if a == ratelimit.SlidingCounter {
				c.Rate = min(c.Rate, 1e9)
			}
			if a != ratelimit.TokenBucket && a != ratelimit.LeakyMeter {
				c.Burst = 0
			}
			l := must(ratelimit.New(c))
			for _, at := range []int64{math.MinInt64, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64} {
				d := l.AllowAt(at, 0)
				if !d.OK || !(d.Remaining >= 0) {
					t.Errorf("%+v at %d: %+v", c, at, d)
				}
				if d = l.AllowAt(at, d.Remaining); !d.OK {
					t.Errorf("%+v at %d: what remains was refused: %+v", c, at, d)
				}
				if d = l.AllowAt(at, 1); d.OK && a != ratelimit.LeakyShaper && c.Window == 0 && c.Rate < 1 {
					t.Errorf("%+v at %d: admitted beyond what remained: %+v", c, at, d)
				}
			}
		}
	}
}

// At the end of a minute and at the beginning of the next a hundred come at once.
// A fixed window lets all of them through.
func TestBoundaryBurst(t *testing.T) {
	for a, want := range map[ratelimit.Algorithm][2]int{ // before and after the turn
		ratelimit.TokenBucket:    {100, 0},
		ratelimit.LeakyMeter:     {1, 0},
		ratelimit.LeakyShaper:    {1, 0},
		ratelimit.SlidingLog:     {100, 0},
		ratelimit.SlidingCounter: {100, 0},
		"fixed window":           {100, 100},
	} {
		l := ratelimit.Limiter(&fixedWindow{limit: 100, window: 60 * second})
		if a != "fixed window" {
			l = must(ratelimit.New(ratelimit.Config{Algorithm: a, Rate: 100, Window: time.Minute}))
		}
		var got [2]int
		for i, at := range []int64{60*second - 1, 60 * second} {
			for range 100 {
				if l.AllowAt(at, 1).OK {
					got[i]++
				}
			}
		}
		if got != want {
			t.Errorf("%s: %v passed, want %v", a, got, want)
		}
	}
}

// fixedWindow is what none of the limiters is.
type fixedWindow struct {
	limit         float64
	window, start int64
	used          float64
}

func (f *fixedWindow) AllowAt(now int64, cost float64) ratelimit.Decision {
	if start := now / f.window; start != f.start {
		f.start, f.used = start, 0
	}
	if f.used+cost > f.limit {
		return ratelimit.Decision{}
	}
	f.used += cost
	return ratelimit.Decision{OK: true}
}

func (f *fixedWindow) SetAt(int64, ratelimit.Config) error { return nil }

func TestSetAt(t *testing.T) {
	for _, tt := range []struct {
		name     string
		from, to ratelimit.Config
		before   []step
		after    []step
	}{
		{"a higher rate", ratelimit.Config{Rate: 10}, ratelimit.Config{Rate: 20, Burst: 10},
			[]step{yes(0, 10, 0, 1e9)}, []step{no(0, 1, 50e6, 0, 500e6), yes(50*ms, 1, 0, 500e6)}},
		{"a lower rate", ratelimit.Config{Rate: 10}, ratelimit.Config{Rate: 1, Burst: 10},
			[]step{yes(0, 5, 5, 500e6)}, []step{yes(0, 0, 5, 5e9)}},
		{"a higher burst", ratelimit.Config{Rate: 10}, ratelimit.Config{Rate: 10, Burst: 15},
			[]step{yes(0, 10, 0, 1e9)}, []step{yes(0, 5, 0, 1500e6)}},
		{"a lower burst", ratelimit.Config{Rate: 1, Burst: 1e12}, ratelimit.Config{Rate: 1, Burst: 10},
			nil, []step{yes(0, 10, 0, 10e9)}},
		{"a lower burst than was used", ratelimit.Config{Rate: 10, Burst: 1000}, ratelimit.Config{Rate: 10, Burst: 10},
			[]step{yes(0, 1000, 0, 100e9)}, []step{no(0, 1, 100e6, 0, 1e9), yes(100*ms, 1, 0, 1e9)}},
		{"on", ratelimit.Config{}, ratelimit.Config{Rate: 1},
			[]step{yes(0, 1000, math.Inf(1), 0)}, []step{yes(0, 1, 0, 1e9)}},
		{"off", ratelimit.Config{Rate: 1}, ratelimit.Config{},
			[]step{yes(0, 1, 0, 1e9)}, []step{yes(0, 1000, math.Inf(1), 0)}},
		{"meter", ratelimit.Config{Algorithm: ratelimit.LeakyMeter, Rate: 10}, ratelimit.Config{Algorithm: ratelimit.LeakyMeter, Rate: 1},
			[]step{yes(0, 1, 0, 100e6)}, []step{no(0, 1, 1e9, 0, 1e9)}},
		{"shaper", ratelimit.Config{Algorithm: ratelimit.LeakyShaper, Rate: 10}, ratelimit.Config{Algorithm: ratelimit.LeakyShaper, Rate: 1},
			[]step{yes(0, 1, 0, 100e6)}, []step{no(0, 1, 1e9, 0, 1e9), yes(1000*ms, 1, 0, 1e9)}},
		{"log", ratelimit.Config{Algorithm: ratelimit.SlidingLog, Rate: 10}, ratelimit.Config{Algorithm: ratelimit.SlidingLog, Rate: 5, Window: 2 * time.Second},
			[]step{yes(0, 4, 6, 1e9), yes(100*ms, 1, 5, 1e9)}, []step{no(100*ms, 1, 1900e6, 0, 2e9), yes(2*second, 4, 0, 2e9)}},
		{"counter", ratelimit.Config{Algorithm: ratelimit.SlidingCounter, Rate: 10}, ratelimit.Config{Algorithm: ratelimit.SlidingCounter, Rate: 20, Window: 2 * time.Second},
			[]step{yes(500*ms, 10, 0, 1500e6)}, []step{yes(500*ms, 10, 0, 3e9), no(1500*ms, 1, 100e6, 0, 2e9)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := must(ratelimit.New(tt.from))
			run(t, l, tt.before)
			at := int64(0)
			if n := len(tt.before); n > 0 {
				at = tt.before[n-1].at
			}
			bad := tt.to
			bad.Rate = -1
			if err := l.SetAt(at, bad); err == nil {
				t.Error("a negative rate was accepted")
			}
			other := ratelimit.Config{Algorithm: ratelimit.SlidingLog}
			if tt.from.Algorithm == ratelimit.SlidingLog {
				other.Algorithm = ratelimit.LeakyMeter
			}
			if err := l.SetAt(at, other); err == nil {
				t.Error("another algorithm was accepted")
			}
			if err := l.SetAt(at, tt.to); err != nil {
				t.Fatal(err)
			}
			run(t, l, tt.after)
		})
	}
}

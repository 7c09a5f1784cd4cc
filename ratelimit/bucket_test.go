package ratelimit_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/ratelimit"
	"pgregory.net/rapid"
)

func newBucket(rate, burst float64, maxWait time.Duration) *ratelimit.Bucket {
	return must(ratelimit.NewBucket(ratelimit.Config{Rate: rate, Burst: burst, MaxWait: maxWait}))
}

func TestReserve(t *testing.T) {
	b := newBucket(10, 2, 300*time.Millisecond)
	for i, want := range []int64{0, 0, 100 * ms, 200 * ms, 300 * ms} {
		r, d := b.ReserveAt(0, 1)
		if !d.OK || r.At() != want {
			t.Fatalf("reservation %d: %+v, begins at %v", i, d, r.At())
		}
	}
	r, d := b.ReserveAt(0, 1)
	if r != nil || d.OK || d.RetryAfter != 100*time.Millisecond || d.ResetAfter != 500*time.Millisecond {
		t.Errorf("beyond MaxWait: %+v", d)
	}
	r.CancelAt(0) // of nothing
	if d := b.AllowAt(100*ms, 1); d.OK || d.RetryAfter != 300*time.Millisecond {
		t.Errorf("what is promised was given away: %+v", d)
	}
	if r, _ := b.ReserveAt(100*ms, 1); r.At() != 400*ms {
		t.Errorf("at %v", r.At())
	}
	for _, cost := range []float64{-1, math.NaN(), 3, math.Inf(1)} {
		if r, d := b.ReserveAt(100*ms, cost); r != nil || d.OK || d.RetryAfter != never {
			t.Errorf("a cost of %v: %+v", cost, d)
		}
	}
	if r, d := b.ReserveAt(100*ms, 0); !d.OK || r.At() != 100*ms {
		t.Errorf("a cost of 0: %+v", d)
	}
}

func TestCancel(t *testing.T) {
	b := newBucket(10, 2, time.Second)
	state := func(now int64) ratelimit.Decision { return b.AllowAt(now, 0) }
	b.AllowAt(0, 2)
	before := state(0)
	r1, _ := b.ReserveAt(0, 1)
	r2, _ := b.ReserveAt(0, 2)
	r1.CancelAt(50 * ms)
	r1.CancelAt(50 * ms) // counts once
	if got := state(50 * ms).ResetAfter; got != 350*time.Millisecond {
		t.Errorf("after one of two: %v", got)
	}
	r2.CancelAt(r2.At())
	if got := state(0); got != before {
		t.Errorf("after both %+v, before %+v", got, before)
	}
	// Late: what has been refilled since is not there twice.
	r3, _ := b.ReserveAt(time10, 2)
	r3.CancelAt(time10 + 50*ms)
	if got := state(time10 + 50*ms).Remaining; got != 2 {
		t.Errorf("%v remain", got)
	}
	r4, _ := b.ReserveAt(time10+50*ms, 2)
	b.AllowAt(time10+250*ms, 2)
	r4.CancelAt(time10 + 250*ms)
	if got := state(time10 + 250*ms).Remaining; got != 0 {
		t.Errorf("%v remain of a bucket that was full and emptied", got)
	}
	// After a change, all or nothing.
	for _, late := range []bool{false, true} {
		b := newBucket(10, 2, time.Second)
		b.AllowAt(0, 2)
		r, _ := b.ReserveAt(0, 1)
		if err := b.SetAt(0, ratelimit.Config{Rate: 1, Burst: 2, MaxWait: time.Second}); err != nil {
			t.Fatal(err)
		}
		at, want := r.At(), 1900*time.Millisecond
		if late {
			at, want = at+1, 2900*time.Millisecond-1
		}
		r.CancelAt(at)
		if got := b.AllowAt(at, 0).ResetAfter; got != want {
			t.Errorf("late %v: %v to reset, want %v", late, got, want)
		}
	}
}

const time10 = 10 * second

// TestCancelGivesBackExactly compares with a bucket on which the reservation was
// never made.
func TestCancelGivesBackExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := ratelimit.Config{
			Rate:    rapid.SampledFrom([]float64{0.3, 3, 10, 1e6}).Draw(t, "rate"),
			Burst:   rapid.SampledFrom([]float64{1, 5, 100}).Draw(t, "burst"),
			MaxWait: time.Hour,
		}
		b, twin := must(ratelimit.NewBucket(c)), must(ratelimit.NewBucket(c))
		cost := rapid.Custom(func(t *rapid.T) float64 {
			return c.Burst * rapid.SampledFrom([]float64{0.2, 0.5, 1}).Draw(t, "share")
		})
		pause := rapid.Int64Range(0, int64(2e9/c.Rate))
		others := func(now int64) {
			x := cost.Draw(t, "cost")
			if rapid.Bool().Draw(t, "allow") {
				if b.AllowAt(now, x).OK && !twin.AllowAt(now, x).OK {
					t.Fatal("less without the reservation")
				}
			} else if _, d := b.ReserveAt(now, x); d.OK {
				twin.ReserveAt(now, x)
			}
		}
		now := int64(0)
		for range rapid.IntRange(0, 8).Draw(t, "before") {
			others(now)
			now += pause.Draw(t, "pause")
		}
		r, d := b.ReserveAt(now, cost.Draw(t, "reserve"))
		if !d.OK {
			return
		}
		for range rapid.IntRange(0, 8).Draw(t, "after") {
			now = min(now+pause.Draw(t, "pause"), r.At())
			others(now)
		}
		if now > r.At() {
			t.Fatal("late")
		}
		r.CancelAt(now)
		if got, want := b.AllowAt(now, 0), twin.AllowAt(now, 0); got != want {
			t.Fatalf("%+v, without the reservation %+v", got, want)
		}
	})
}

// TestSinceTheStart: whatever is cancelled and when, what was not is never more
// than a burst and what came in.
func TestSinceTheStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := newBucket(10, 5, time.Second)
		type promise struct {
			*ratelimit.Reservation
			cost float64
		}
		var open []promise
		now, used := int64(0), 0.0
		for range 40 {
			now += rapid.Int64Range(0, 400*ms).Draw(t, "pause")
			cost := rapid.Float64Range(0.1, 5).Draw(t, "cost")
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				if b.AllowAt(now, cost).OK {
					used += cost
				}
			case 1:
				if r, d := b.ReserveAt(now, cost); d.OK {
					open = append(open, promise{r, cost})
					used += cost
				}
			case 2:
				if len(open) > 0 {
					i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
					open[i].CancelAt(now)
					used -= open[i].cost
					open = append(open[:i], open[i+1:]...)
				}
			}
			pending := 0.0
			for _, p := range open {
				if p.At() > now {
					pending += p.cost
				}
			}
			if most := 5 + 10*float64(now)/float64(second); used-pending > most+1e-6 {
				t.Fatalf("%v by %v", used-pending, time.Duration(now))
			}
		}
	})
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBucket(10, 1, 300*time.Millisecond)
		start := time.Now()
		for i := range 4 {
			if d, err := b.Wait(t.Context(), 1); err != nil || !d.OK {
				t.Fatal(d, err)
			}
			if took := time.Since(start); took > time.Duration(i)*100*time.Millisecond || took < time.Duration(i)*100*time.Millisecond-10 {
				t.Errorf("turn %d after %v", i, took)
			}
		}
		for range 3 {
			if _, d := b.Reserve(1); !d.OK {
				t.Fatal(d)
			}
		}
		if d, err := b.Wait(t.Context(), 1); err != ratelimit.ErrLimited || d.RetryAfter > 100*time.Millisecond || d.RetryAfter < 99*time.Millisecond {
			t.Errorf("%+v, %v", d, err)
		}
		if d, err := b.Wait(t.Context(), 2); err != ratelimit.ErrLimited || d.RetryAfter != never {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

// A wait that ends early has taken nothing.
func TestWaitThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBucket(1, 1, time.Minute)
		b.Allow(1)
		before := b.Allow(0)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := b.Wait(gone, 1); err != context.Canceled {
			t.Error(err)
		}
		short, cancel := context.WithTimeout(t.Context(), 999*time.Millisecond)
		defer cancel()
		start := time.Now()
		d, err := b.Wait(short, 1)
		if !errors.Is(err, ratelimit.ErrDeadline) || !errors.Is(err, context.DeadlineExceeded) || d.OK || time.Since(start) != 0 {
			t.Errorf("%+v, %v after %v", d, err, time.Since(start))
		}
		if d, err := b.Wait(short, 2); err != ratelimit.ErrLimited || d.RetryAfter != never {
			t.Errorf("%+v, %v", d, err)
		}
		if got := b.Allow(0); got != before {
			t.Errorf("%+v, before %+v", got, before)
		}
		leaves, cancel := context.WithCancel(t.Context())
		time.AfterFunc(500*time.Millisecond, cancel)
		if _, err := b.Wait(leaves, 1); err != context.Canceled || time.Since(start) != 500*time.Millisecond {
			t.Error(err, time.Since(start))
		}
		if got := b.Allow(0).ResetAfter; got != before.ResetAfter-500*time.Millisecond {
			t.Errorf("%v to reset", got)
		}
		if _, err := b.WaitAt(t.Context(), clock.Real, clock.Real.Now(), math.NaN()); err != ratelimit.ErrLimited {
			t.Error(err)
		}
	})
}

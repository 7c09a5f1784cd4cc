package ratelimit_test

import (
	"context"
	"errors"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/ratelimit"
)

// golang/go#56924, #69419: x/time/rate gave back too few tokens when others had
// reserved after the one that was cancelled.
func TestRegressionCancelGaveBackTooLittle(t *testing.T) {
	b := newBucket(1, 1, time.Minute)
	b.AllowAt(0, 1)
	first, _ := b.ReserveAt(0, 1)
	second_, _ := b.ReserveAt(0, 1)
	first.CancelAt(0)
	if r, _ := b.ReserveAt(0, 1); r.At() != second_.At() {
		t.Errorf("the next begins at %v, not at %v", time.Duration(r.At()), time.Duration(second_.At()))
	}
}

// golang/go#47221: at rate 0 x/time/rate let reservations pile up for ever. Here
// 0 is off, the lowest rate is a rate, and a bucket that hardly fills promises
// nothing.
func TestRegressionZeroRatePromisedForEver(t *testing.T) {
	b := must(ratelimit.NewBucket(ratelimit.Config{Rate: 1e-9, Burst: 10, Window: 8784 * time.Hour, MaxWait: 24 * time.Hour}))
	n := 0
	for range 1000 {
		if _, d := b.ReserveAt(0, 1); d.OK {
			n++
		}
	}
	if n != 10 {
		t.Errorf("%d were promised", n)
	}
}

// golang/go#52584: in x/time/rate a reservation that failed delayed the next.
func TestRegressionFailedReservationDelayed(t *testing.T) {
	b := newBucket(1, 1, time.Second)
	b.AllowAt(0, 1)
	b.ReserveAt(0, 1)
	for range 100 {
		if _, d := b.ReserveAt(0, 1); d.OK {
			t.Fatal("beyond MaxWait")
		}
	}
	if r, d := b.ReserveAt(second, 1); !d.OK || r.At() != 2*second {
		t.Errorf("%+v", d)
	}
}

// golang/go#65508, cadence#6030: callers whose reading of the clock was older set
// the bucket's time back, so that the next refilled the same stretch again.
func TestRegressionOldReadingsRefilledTwice(t *testing.T) {
	for _, a := range algorithms {
		l := must(ratelimit.New(ratelimit.Config{Algorithm: a, Rate: 1000}))
		passed := 0
		for now := int64(0); now < second; now += ms {
			for range 10 {
				for _, late := range []int64{0, ms / 2, 100 * ms} {
					if l.AllowAt(max(now-late, 0), 1).OK {
						passed++
					}
				}
			}
		}
		if passed > 2000 {
			t.Errorf("%s: %d passed in a second", a, passed)
		}
	}
}

// golang/go (2c6c5a2): a long wait in tokens overflowed as a duration and became
// a short one. throttled and go-limiter#59 overflowed alike.
func TestRegressionOverflow(t *testing.T) {
	for _, rate := range []float64{1e-9, 1, 1e12} {
		b := must(ratelimit.NewBucket(ratelimit.Config{Rate: rate, Burst: 1e12, Window: 8784 * time.Hour}))
		b.AllowAt(0, 1e12)
		if d := b.AllowAt(math.MaxInt64/2, 1e12); d.OK && rate < 1e12 {
			t.Errorf("rate %v: %+v", rate, d)
		}
		if d := b.AllowAt(1, 1e12); d.OK || d.RetryAfter <= 0 {
			t.Errorf("rate %v: %+v", rate, d)
		}
	}
}

// x/time/rate failed a wait that could not end in time with an error that was no
// context.DeadlineExceeded.
func TestRegressionDeadlineWasNoDeadline(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Minute))
	defer cancel()
	b := newBucket(1, 100, time.Hour)
	b.Allow(100)
	if _, err := b.Wait(ctx, 100); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// uber-go/ratelimit#73, #99: no way to leave; and it divided by a rate of 0.
func TestRegressionNoWayToLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShaper(0.001, 10, time.Hour)
		s.Allow(1)
		ctx, cancel := context.WithTimeout(t.Context(), 2000*time.Second)
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		if _, err := s.Wait(ctx, 1); err != context.Canceled || time.Since(start) != time.Second {
			t.Error(err, time.Since(start))
		}
		if d := newShaper(0, 0, 0).Allow(1); !d.OK {
			t.Error(d)
		}
	})
}

// uber-go/ratelimit#4, #119, #120, #121, #124: what was saved up while idle let a
// burst through a limiter that is there to have none.
func TestRegressionSlackBecameABurst(t *testing.T) {
	s := newShaper(100, 0, 0)
	for _, now := range []int64{0, second, 1000 * second} {
		if !s.AllowAt(now, 1).OK || s.AllowAt(now, 1).OK || s.AllowAt(now+9*ms, 1).OK {
			t.Errorf("not one at %v", time.Duration(now))
		}
	}
}

// failsafe-go: waiters that were cancelled kept their permits, so impatient
// callers starved the limiter.
func TestRegressionImpatientCallersStarvedIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := newBucket(10, 1, time.Hour), newShaper(10, 100, time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() { b.Wait(ctx, 1) })
			wg.Go(func() { s.Wait(ctx, 1) })
		}
		synctest.Wait()
		cancel()
		wg.Wait()
		start := time.Now()
		_, err1 := b.Wait(t.Context(), 1)
		_, err2 := s.Wait(t.Context(), 1)
		if took := time.Since(start); err1 != nil || err2 != nil || took > 100*time.Millisecond {
			t.Error(err1, err2, took)
		}
	})
}

// tower-resilience#363: a waiter went ahead when its sleep was over, whether
// there was a permit or not.
func TestRegressionAwakeWithoutAPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := newBucket(100, 1, time.Hour), newShaper(100, 100, time.Hour)
		for _, wait := range []func(context.Context, float64) (ratelimit.Decision, error){b.Wait, s.Wait} {
			var wg sync.WaitGroup
			var passed atomic.Int64
			for range 100 {
				wg.Go(func() {
					if _, err := wait(t.Context(), 1); err == nil {
						passed.Add(1)
					}
				})
			}
			time.Sleep(500*time.Millisecond + 1)
			if n := passed.Load(); n != 51 {
				t.Errorf("%d passed in half a second", n)
			}
			wg.Wait()
		}
	})
}

// resilience4j#2489: lowering the rate killed the refresher, and nothing was
// admitted any more. gubernator#37: a change of the limit was ignored.
func TestRegressionLowerRate(t *testing.T) {
	for _, a := range algorithms {
		c := ratelimit.Config{Algorithm: a, Rate: 1000}
		l := must(ratelimit.New(c))
		l.AllowAt(0, 1000)
		c.Rate = 10
		if err := l.SetAt(0, c); err != nil {
			t.Fatal(err)
		}
		passed := 0
		for now := 3 * second; now < 13*second; now += 10 * ms {
			if l.AllowAt(now, 1).OK {
				passed++
			}
		}
		if passed < 90 || passed > 120 {
			t.Errorf("%s: %d in 10 s", a, passed)
		}
	}
}

// resilience4j refreshed every 500 ns by default, which is no limit.
func TestRegressionWindowOfNothing(t *testing.T) {
	if err := (ratelimit.Config{Rate: 50, Window: 500}).Validate(); err == nil {
		t.Error("a window of 500 ns is a limit")
	}
}

// redisson#2931, tower, go-limiter, envoyproxy/ratelimit#32: a window's limit was
// let through on both sides of its boundary. See also TestBoundaryBurst.
func TestRegressionDoubleBurst(t *testing.T) {
	for _, a := range algorithms {
		for _, boundary := range []int64{second, 60 * second, 3600 * second} {
			l := must(ratelimit.New(ratelimit.Config{Algorithm: a, Rate: 100}))
			passed := 0
			for range 100 {
				for _, at := range []int64{boundary - 1, boundary, boundary + 1} {
					if l.AllowAt(at, 1).OK {
						passed++
					}
				}
			}
			if passed > 100 {
				t.Errorf("%s: %d around %v", a, passed, time.Duration(boundary))
			}
		}
	}
}

// gubernator#208, #212, #225: a counter was not reset with its time, or drained
// while it refused. #118: the leaky bucket was refilled once a duration.
func TestRegressionRefusalsDrained(t *testing.T) {
	for _, a := range algorithms {
		l := must(ratelimit.New(ratelimit.Config{Algorithm: a, Rate: 10}))
		passed := 0
		for now := int64(0); now < 100*second; now += ms { // ten times a hundred too many
			if l.AllowAt(now, 1).OK {
				passed++
			}
		}
		if passed < 900 || passed > 1020 { // the counter rounds one of ten away
			t.Errorf("%s: %d of 1000", a, passed)
		}
	}
}

// envoyproxy/ratelimit#430, #443: counters rose for requests that were refused.
// throttled#81, #82: a quantity above the burst left negative statistics.
func TestRegressionRefusalsWereCharged(t *testing.T) {
	for _, a := range algorithms {
		l := must(ratelimit.New(ratelimit.Config{Algorithm: a, Rate: 10}))
		for range 1000 {
			if d := l.AllowAt(0, 11); d.OK || d.Remaining < 0 || d.RetryAfter != never {
				t.Fatalf("%s: %+v", a, d)
			}
		}
		if d := l.AllowAt(0, 1); !d.OK {
			t.Errorf("%s: %+v", a, d)
		}
	}
}

// ulule/limiter#22 and many others: a key whose expiry got lost was blocked for
// ever. mennanov/limiters#22, #151: expiry missing or too early.
func TestRegressionKeysNeverExpired(t *testing.T) {
	k := newKeyed(10, 1000)
	for round := range int64(20) {
		for _, at := range []int64{0, 999 * ms} {
			for i := range 1000 {
				key := strconv.Itoa(i + 1000*int(round))
				if d := k.AllowAt(round*second+at, key, 10); d.OK != (at == 0) {
					t.Fatalf("round %d, key %s at %v: %+v", round, key, time.Duration(at), d)
				}
			}
		}
	}
	if n := k.LenAt(20 * second); n != 0 {
		t.Errorf("%d keys are not at rest", n)
	}
}

// tower#794, #833: each clone of a service had a limit of its own. A limiter is
// used by pointer, and one used by many has one limit; throttled gave up after
// ten lost swaps under contention, and answered with an error.
func TestRegressionOneLimitForAll(t *testing.T) {
	b := newBucket(1, 1000, 0)
	var passed atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 1000 {
				if b.AllowAt(clock.Never, 1).OK {
					passed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if passed.Load() != 1000 {
		t.Errorf("%d passed", passed.Load())
	}
}

// sentinel-golang#594: the first batch above the threshold passed. 963192c: a
// queueing time that was unsigned overflowed.
func TestRegressionFirstBatch(t *testing.T) {
	for _, a := range algorithms {
		l := must(ratelimit.New(ratelimit.Config{Algorithm: a, Rate: 10}))
		if d := l.AllowAt(time10, 10.5); d.OK {
			t.Errorf("%s: %+v", a, d)
		}
	}
	s := newShaper(10, 10, time.Second)
	s.AllowAt(time10, 1)
	if d := s.AllowAt(time10-second, 1); d.OK || d.RetryAfter != 1100*time.Millisecond {
		t.Errorf("%+v", d)
	}
}

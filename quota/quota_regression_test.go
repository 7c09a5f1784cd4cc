package quota

import (
	"context"
	"errors"
	"math"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

// envoyproxy/ratelimit#32, ulule/limiter, go-limiter and gubernator count in fixed
// windows: the end of one and the beginning of the next pass twice the limit in an
// instant.
func TestTwiceTheLimitPassedAtTheBoundary(t *testing.T) {
	e := must(NewEmbedded(Config{Rate: 100, Window: time.Minute}))
	got := 0
	for _, now := range []int64{59 * second, 59*second + 999*ms, 60 * second, 60*second + ms} {
		for range 100 {
			if e.AllowAt(now, "k", 1).OK {
				got++
			}
		}
	}
	if got > 102 { // and what a second refills
		t.Errorf("%d passed in a second, at 100 a minute", got)
	}
}

// envoyproxy/ratelimit#443 and #430: a refused request was counted all the same,
// so that who asked too often never came through. A refusal changes nothing.
func TestRefusalsWereCharged(t *testing.T) {
	e := must(NewEmbedded(Config{Rate: 10}))
	e.AllowAt(0, "k", 10)
	for now := int64(0); now < 99*ms; now += ms {
		e.AllowAt(now, "k", 1)
	}
	if d := e.AllowAt(100*ms, "k", 1); !d.OK {
		t.Errorf("%+v", d)
	}
}

// mailgun/gubernator#225: the time of the reset was renewed and what remained was
// not, so a global counter ran dry and stayed so.
func TestAGlobalCounterNeverRefilled(t *testing.T) {
	f := newFleet(t, leasedConfig(func(c *Config) { c.Rate = 100 }), even(5, 300))
	for range 5 {
		if got, _ := f.between(f.now+5*second, f.now+15*second); got < 95 || got > 105 {
			t.Fatalf("%v a second by %v, want 100", got, time.Duration(f.now))
		}
	}
}

// mailgun/gubernator#37: a changed limit was ignored until the window was over.
func TestAChangedLimitWasIgnored(t *testing.T) {
	f := newFleet(t, leasedConfig(nil), even(5, 20_000))
	f.run(5 * second)
	for _, in := range f.all {
		if err := in.q.Set(leasedConfig(func(c *Config) { c.Rate = 2000 })); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := f.between(8*second, 13*second); got < 1940 || got > 2020 {
		t.Errorf("%v a second, want 2000", got)
	}
}

// throttled#81, #82: a quantity above the burst made what remains negative.
func TestRemainingWasNegative(t *testing.T) {
	e := must(NewEmbedded(Config{Rate: 10, Burst: 3}))
	e.AllowAt(0, "k", 3)
	for _, cost := range []float64{4, 1e300, math.Inf(1), 3, 0} {
		if d := e.AllowAt(0, "k", cost); d.Remaining < 0 || d.ResetAfter < 0 || d.RetryAfter < 0 {
			t.Errorf("%v: %+v", cost, d)
		}
	}
}

// golang/go#65508, in x/time/rate: callers that had read the clock earlier set it
// back, and the time in between refilled twice.
func TestOlderReadingsRefilledTwice(t *testing.T) {
	e := must(NewEmbedded(Config{Rate: 1000, Burst: 1}))
	got := 0
	for now := int64(0); now < second; now += ms {
		for _, late := range []int64{0, 100 * ms, 0} {
			if e.AllowAt(now-late, "k", 1).OK {
				got++
			}
		}
	}
	if got > 1001 {
		t.Errorf("%d in a second, at 1000", got)
	}
}

// sethvargo/go-limiter#59: a long time overflowed.
func TestALongTimeOverflowed(t *testing.T) {
	e := must(NewEmbedded(Config{Rate: 1e-9, Window: 8784 * time.Hour, Burst: 1e12}))
	if d := e.AllowAt(0, "k", 1e12); !d.OK || d.ResetAfter != Never {
		t.Errorf("%+v", d)
	}
	if d := e.AllowAt(math.MaxInt64, "k", 1e12); d.OK || d.RetryAfter != Never {
		t.Errorf("%+v", d)
	}
}

// alibaba/Sentinel#1808, #3157: without the token server each instance went on
// with the threshold of all together.
func TestTheLocalShareWasTheWholeQuota(t *testing.T) {
	f := newFleet(t, leasedConfig(func(c *Config) { c.OnFailure, c.Instances = FailLocal, 20 }), even(20, 40_000))
	f.lost = func(int, int64) bool { return true }
	if got, _ := f.between(3*second, 8*second); got > 10_100 || got < 9900 {
		t.Errorf("%v a second, want 10000", got)
	}
}

// With more instances than the burst has units, a share of the burst is less than
// one request, and the local limit refused everything.
func TestALocalShareAdmittedNobody(t *testing.T) {
	f := newFleet(t, leasedConfig(func(c *Config) { c.Rate, c.OnFailure, c.Instances = 10, FailLocal, 50 }), even(50, 1000))
	f.lost = func(int, int64) bool { return true }
	if got, _ := f.between(10*second, 30*second); got < 9.5 || got > 10.5 {
		t.Errorf("%v a second, want 10", got)
	}
}

// alibaba/Sentinel#3595: a token server that is overloaded let clients fall back to
// their own limit, on top of what it still gave. What an instance admits by
// itself here is its share, whatever the store has granted meanwhile.
func TestAStoreThatFlapsOpenedTheQuota(t *testing.T) {
	f := newFleet(t, leasedConfig(func(c *Config) { c.OnFailure, c.Instances = FailLocal, 10 }), even(10, 20_000))
	f.lost = func(int, int64) bool { return f.rand.IntN(3) == 0 }
	if got, _ := f.between(5*second, 15*second); got > 2*10_000 {
		t.Errorf("%v a second: more than quota and shares together", got)
	}
}

// envoyproxy/ratelimit#978: the timeout of Redis was ten seconds, whatever was
// configured, and requests piled up. istio#12115: without Redis all got 429.
func TestRequestsPiledUpBehindTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{}
		s.gone.Store(true)
		q := leased(Config{Rate: 100, Timeout: 20 * time.Millisecond}, s)
		for range 50 {
			begun := time.Now()
			if d := q.Allow(t.Context(), "k", 1); !d.OK || time.Since(begun) > 20*time.Millisecond {
				t.Fatalf("%+v after %v", d, time.Since(begun))
			}
		}
		if n := s.trips.Load(); n > 1 {
			t.Errorf("%d requests asked a store that hangs", n)
		}
	})
}

// tower-resilience#363: who had waited was admitted without a permit. Here it
// decides again.
func TestWaitersWereAdmittedWithoutAPermit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{takes: time.Millisecond}
		q := leased(Config{Rate: 1e-6, Burst: 3}, s)
		if n, _ := everybody(q, 30); n > 3 {
			t.Errorf("%d of 3", n)
		}
	})
}

// failsafe-go, gobreaker: what was taken by a call that panicked was never given
// back, and nobody came through any more. An ask that nobody ends is given up.
func TestAPanicWedgedTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{takes: time.Millisecond}
		s.panics.Store(true)
		q := leased(Config{Rate: 100}, s)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic was swallowed")
				}
			}()
			q.Allow(t.Context(), "k", 1)
		}()
		s.panics.Store(false)
		time.Sleep(100 * time.Millisecond)
		if d := q.Allow(t.Context(), "k", 1); !d.OK || d.Err != nil {
			t.Errorf("%+v", d)
		}
	})
}

// One request's cancelled context must not fail those that wait for the same
// answer, as with a plain singleflight.
func TestOneWhoLeftFailedAllWhoWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{takes: 10 * time.Millisecond}
		q := leased(Config{Rate: 100, OnFailure: FailClosed}, s)
		ctx, cancel := context.WithCancel(t.Context())
		go q.Allow(ctx, "k", 1)
		synctest.Wait()
		time.AfterFunc(5*time.Millisecond, cancel)
		if n, _ := everybody(q, 5); n != 5 {
			t.Errorf("%d of 5 admitted", n)
		}
	})
}

// A Sleep until a time that never comes: the answer to a cost above the burst is
// "never", not a wait.
func TestACostAboveTheBurstWaitedForEver(t *testing.T) {
	q := leased(Config{Rate: 10}, &slowStore{})
	if d := q.Allow(t.Context(), "k", 11); d.OK || d.RetryAfter != Never || errors.Is(d.Err, ErrStore) {
		t.Errorf("%+v", d)
	}
	if q.Stats().Asked != 0 {
		t.Error("the store was asked for what cannot be")
	}
}

// A share of a level that rounding had brought below 0 was 0 by 0: the level
// became NaN, and the key was never served again.
func TestRegressionALevelBelowZeroIsNoShare(t *testing.T) {
	limit := Limit{Rate: 0.048, Window: 17600 * time.Second, Burst: 1.76e7}
	b := bucket{level: -slack * limit.Burst / 2}
	for _, x := range []Take{{Limit: limit}, {Limit: limit, Want: 5}, {Limit: limit, Want: 5, Period: time.Second}} {
		if g := b.take(0, &x); g.Granted != 0 || g.Remaining != 0 || math.IsNaN(b.level) {
			t.Errorf("%+v: granted %+v, the level is %v", x, g, b.level)
		}
	}
}

// All keys were once sent in one round trip. With 20 000 of them that took longer
// than the Timeout: at its end an instance gave nothing back, and keys that fell
// idle together were sent again and again.
func TestManyKeysAreSentInParts(t *testing.T) {
	for _, ends := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := &slowStore{each: 100 * time.Microsecond} // 500 in a Timeout
			q := leased(Config{Rate: 1e-3, Window: time.Hour, Burst: 100}, s)
			const keys = 5000
			for i := range keys {
				if d := q.Allow(t.Context(), strconv.Itoa(i), 1); !d.OK || d.Err != nil {
					t.Fatalf("%+v", d)
				}
			}
			ctx, end := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- q.Run(ctx) }()
			if !ends {
				time.Sleep(5 * time.Second)
				if st := q.Stats(); st.Keys != 0 || st.Held != 0 || st.Failed != 0 {
					t.Errorf("idle: %+v", st)
				}
			}
			end()
			if err := <-ended; err != nil || q.Stats().Held != 0 {
				t.Errorf("at the end: %v, %+v", err, q.Stats())
			}
		})
	}
}

// A store that takes nearly a Timeout for each round trip does not keep the end
// from coming.
func TestReturnEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{}
		q := leased(Config{Rate: 1e-3, Window: time.Hour, Burst: 100}, s)
		for i := range 12_000 {
			q.Allow(t.Context(), strconv.Itoa(i), 1)
		}
		s.takes = 49 * time.Millisecond
		begun := time.Now()
		if err := q.Return(t.Context()); !errors.Is(err, ErrStore) {
			t.Errorf("%v", err)
		}
		if took := time.Since(begun); took > 2100*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

package ratelimit_test

import (
	"context"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stanch-go/stanch/ratelimit"
)

// TestStress lets many ask at once, some with late readings of the clock, while
// the limits are set again and again to what they were. Nothing may slip through.
func TestStress(t *testing.T) {
	const rate, burst = 1000, 100
	for _, a := range algorithms {
		c := ratelimit.Config{Algorithm: a, Rate: rate}
		most := 2 * float64(rate) // in a second
		switch a {
		case ratelimit.TokenBucket, ratelimit.LeakyMeter:
			c.Burst, most = burst, rate+burst
		case ratelimit.LeakyShaper:
			most = rate + 1
		}
		l := must(ratelimit.New(c))
		stress(t, string(a), most,
			func(now int64) bool { return l.AllowAt(now, 1).OK },
			func(now int64) error { return l.SetAt(now, c) })
	}
	c := ratelimit.KeyedConfig{Rate: rate, Burst: burst, Keys: 10}
	k := must(ratelimit.NewKeyed(c))
	var others atomic.Int64
	stress(t, "keyed", rate+burst,
		func(now int64) bool {
			k.AllowAt(now, strconv.FormatInt(others.Add(1)%2000, 10), 100)
			return k.AllowAt(now, "key", 1).OK
		},
		func(now int64) error { return k.SetAt(now, c) })
}

func stress(t *testing.T, name string, most float64, allow func(int64) bool, set func(int64) error) {
	var now, passed, running atomic.Int64
	var wg sync.WaitGroup
	running.Store(4)
	for i := range int64(4) {
		wg.Go(func() {
			defer running.Add(-1)
			for range 5000 {
				if allow(now.Add(int64(time.Second)/20_000) - i*1000) {
					passed.Add(1)
				}
			}
		})
	}
	wg.Go(func() {
		for running.Load() > 0 {
			if err := set(now.Load()); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	if n := float64(passed.Load()); n > most || n < 900 {
		t.Errorf("%s: %v passed in a second, at most %v", name, n, most)
	}
}

// Reservations made and cancelled by many at once leave the bucket as it was.
func TestStressReservations(t *testing.T) {
	b := newBucket(1, 100, time.Hour)
	b.AllowAt(0, 100)
	before := b.AllowAt(0, 0)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 2000 {
				r, d := b.ReserveAt(0, 1)
				if !d.OK {
					t.Error("refused")
					return
				}
				var twice sync.WaitGroup
				twice.Go(func() { r.CancelAt(0) })
				r.CancelAt(0)
				twice.Wait()
			}
		})
	}
	wg.Wait()
	if got := b.AllowAt(0, 0); got != before {
		t.Errorf("%+v, before %+v", got, before)
	}
}

// Waiters of a shaper in real time, of whom many give up: whoever leaves, leaves
// at the rate, and the queue is empty in the end.
func TestStressShaper(t *testing.T) {
	s := newShaper(20_000, 1000, time.Second)
	var left atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for i := range 8 {
		wg.Go(func() {
			for j := range 100 {
				ctx, cancel := context.WithCancel(t.Context())
				if (i+j)%3 == 0 {
					time.AfterFunc(50*time.Microsecond, cancel)
				}
				if _, err := s.Wait(ctx, 1); err == nil {
					left.Add(1)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	most := int64(time.Since(start).Seconds()*20_000) + 2
	if n := left.Load(); n > most || n < 500 {
		t.Errorf("%d left, at most %d", n, most)
	}
	// With nobody in the queue it is idle again after one.
	if _, err := s.Wait(t.Context(), 1); err != nil {
		t.Error(err)
	}
	if d := s.Allow(math.Inf(1)); d.ResetAfter > 50*time.Microsecond {
		t.Errorf("%+v", d)
	}
}

// Nothing that is taken while the limits are set gets lost.
func TestStressSetAt(t *testing.T) {
	for range 20 {
		c := ratelimit.Config{Rate: 1e-9, Window: time.Hour, Burst: 100_000}
		b := must(ratelimit.NewBucket(c))
		var passed, running atomic.Int64
		var wg sync.WaitGroup
		running.Store(4)
		for range 4 {
			wg.Go(func() {
				defer running.Add(-1)
				for range 50_000 {
					if b.AllowAt(0, 1).OK {
						passed.Add(1)
					}
				}
			})
		}
		wg.Go(func() {
			for running.Load() > 0 {
				if err := b.SetAt(0, c); err != nil {
					t.Error(err)
				}
			}
		})
		wg.Wait()
		if passed.Load() != 100_000 {
			t.Fatalf("%d of 100000 passed", passed.Load())
		}
	}
}

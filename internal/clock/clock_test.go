package clock_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

func TestAdd(t *testing.T) {
	for _, tt := range []struct {
		t    int64
		d    time.Duration
		want int64
	}{
		{5, 7, 12}, {5, 0, 5}, {5, -7, 5}, {-5, 7, 2},
		{clock.Never, 1, clock.Never},
		{clock.Never - 1, 1, clock.Never},
		{clock.Never - 1, 2, clock.Never},
		{1, math.MaxInt64, clock.Never},
		{math.MinInt64, math.MaxInt64, -1},
		{math.MinInt64, -1, math.MinInt64},
	} {
		if got := clock.Add(tt.t, tt.d); got != tt.want {
			t.Errorf("%d + %d = %d, want %d", tt.t, tt.d, got, tt.want)
		}
	}
}

func TestRoundUp(t *testing.T) {
	for _, tt := range []struct{ d, want time.Duration }{
		{0, 0}, {1, 10}, {9, 10}, {10, 10}, {11, 20}, {-3, -3}, {math.MaxInt64, math.MaxInt64}, {math.MaxInt64 - 9, math.MaxInt64 - 9},
	} {
		if got := clock.RoundUp(tt.d, 10); got != tt.want {
			t.Errorf("%d becomes %d, want %d", tt.d, got, tt.want)
		}
	}
}

func TestRealGoesOn(t *testing.T) {
	check := func(t *testing.T) {
		now := clock.Real.Now()
		if now < 0 {
			t.Errorf("the instant %d is negative", now)
		}
		if wall := clock.Real.Wall(now); time.Since(wall).Abs() > time.Minute {
			t.Errorf("the wall time of now is %v", wall)
		}
		if back := clock.Real.Instant(clock.Real.Wall(now)); back != now {
			t.Errorf("there and back: %d, want %d", back, now)
		}
		if later := clock.Real.Instant(time.Now().Add(time.Hour)) - now; time.Duration(later).Round(time.Minute) != time.Hour {
			t.Errorf("an hour from now is %v", time.Duration(later))
		}
		if again := clock.Real.Now(); again < now {
			t.Errorf("backwards, from %d to %d", now, again)
		}
	}
	t.Run("machine", check)
	t.Run("bubble", func(t *testing.T) { synctest.Test(t, check) })
}

func TestSleep(t *testing.T) {
	const second = int64(time.Second)
	for _, tt := range []struct {
		name   string
		until  func(now int64) int64
		cancel time.Duration // 0: never; negative: before
		took   time.Duration
		err    error
	}{
		{"until the instant", func(now int64) int64 { return now + second }, 0, time.Second, nil},
		{"past", func(now int64) int64 { return now - second }, 0, 0, nil},
		{"long past", func(int64) int64 { return math.MinInt64 }, 0, 0, nil},
		{"now", func(now int64) int64 { return now }, 0, 0, nil},
		{"canceled", func(now int64) int64 { return now + second }, 300 * time.Millisecond, 300 * time.Millisecond, context.Canceled},
		{"canceled before", func(now int64) int64 { return now - second }, -1, 0, context.Canceled},
		{"never", func(int64) int64 { return clock.Never }, 9 * time.Second, 9 * time.Second, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel < 0 {
					cancel()
				} else if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				start := time.Now()
				err := clock.Real.Sleep(ctx, tt.until(clock.Real.Now()))
				if took := time.Since(start); err != tt.err || took != tt.took {
					t.Errorf("%v after %v, want %v after %v", err, took, tt.err, tt.took)
				}
			})
		})
	}
}

func TestWaiter(t *testing.T) {
	const second = int64(time.Second)
	for _, tt := range []struct {
		name         string
		until        func(now int64) int64
		wake, cancel time.Duration // 0: never; negative: before
		took         time.Duration
		want         clock.Ended
	}{
		{"woken", func(now int64) int64 { return now + second }, 10, 0, 10, clock.Woken},
		{"woken before", func(int64) int64 { return clock.Never }, -1, 0, 0, clock.Woken},
		{"woken, without a limit", func(int64) int64 { return clock.Never }, 5 * time.Second, 0, 5 * time.Second, clock.Woken},
		{"expired", func(now int64) int64 { return now + second }, 0, 0, time.Second, clock.Expired},
		{"expired long ago", func(int64) int64 { return math.MinInt64 }, 0, 0, 0, clock.Expired},
		{"canceled", func(now int64) int64 { return now + second }, 0, 10, 10, clock.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				w := clock.Real.NewWaiter()
				if tt.wake < 0 {
					w.Wake()
				} else if tt.wake > 0 {
					time.AfterFunc(tt.wake, w.Wake)
				}
				if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				start := time.Now()
				got := w.Wait(ctx, tt.until(clock.Real.Now()))
				if took := time.Since(start); got != tt.want || took != tt.took {
					t.Errorf("%v after %v, want %v after %v", got, took, tt.want, tt.took)
				}
			})
		})
	}
}

// A waiter may go on waiting after an instant, and a wake that came in between
// is not lost. A wake nobody waits for blocks nobody.
func TestWaitAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := clock.Real.NewWaiter()
		for range 2 {
			if got := w.Wait(t.Context(), clock.Real.Now()+10); got != clock.Expired {
				t.Errorf("got %v", got)
			}
		}
		w.Wake()
		if got := w.Wait(t.Context(), clock.Never); got != clock.Woken {
			t.Errorf("got %v", got)
		}
		clock.Real.NewWaiter().Wake()
	})
}

func TestBetween(t *testing.T) {
	for _, tt := range []struct {
		from, to int64
		want     time.Duration
	}{
		{5, 12, 7}, {5, 5, 0}, {5, 4, 0}, {-5, 2, 7},
		{math.MinInt64, 0, math.MaxInt64}, {math.MinInt64, math.MaxInt64, math.MaxInt64}, {math.MaxInt64, math.MinInt64, 0},
		{0, clock.Never, math.MaxInt64},
	} {
		if got := clock.Between(tt.from, tt.to); got != tt.want {
			t.Errorf("from %d to %d: %v, want %v", tt.from, tt.to, got, tt.want)
		}
	}
}

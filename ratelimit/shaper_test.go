package ratelimit_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/ratelimit"
)

func newShaper(rate float64, queue int, maxWait time.Duration) *ratelimit.Shaper {
	return must(ratelimit.NewShaper(ratelimit.Config{
		Algorithm: ratelimit.LeakyShaper, Rate: rate, Queue: queue, MaxWait: maxWait,
	}))
}

// crowd lets callers arrive in order at one instant, and returns after how many
// milliseconds each left, negative for those that did not.
func crowd(ctx context.Context, s *ratelimit.Shaper, costs ...float64) []int {
	start := time.Now()
	left := make([]int, len(costs))
	var wg sync.WaitGroup
	for i, cost := range costs {
		wg.Go(func() {
			_, err := s.Wait(ctx, cost)
			left[i] = int(time.Since(start).Round(time.Millisecond).Milliseconds())
			if err != nil {
				left[i] = -left[i] - 1
			}
		})
		synctest.Wait()
	}
	wg.Wait()
	return left
}

func equal(t *testing.T, got []int, want ...int) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("left after %v ms, want %v", got, want)
	}
}

func TestShaperLeavesAtTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShaper(10, 5, time.Second)
		equal(t, crowd(t.Context(), s, 1, 1, 1, 1, 1, 1, 1), 0, 100, 200, 300, 400, 500, -1)
		if _, err := s.Wait(t.Context(), 1); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour) // nothing is saved up
		equal(t, crowd(t.Context(), s, 1, 3, 1), 0, 100, 400)
	})
}

func TestShaperRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShaper(10, 2, 150*time.Millisecond)
		s.Allow(1)
		var wg sync.WaitGroup
		wg.Go(func() { s.Wait(t.Context(), 1) })
		synctest.Wait()
		if d, err := s.Wait(t.Context(), 1); err != ratelimit.ErrLimited || d.OK || d.RetryAfter.Round(time.Millisecond) != 50*time.Millisecond {
			t.Errorf("beyond MaxWait: %+v, %v", d, err)
		}
		if d, err := s.Wait(t.Context(), 11); err != ratelimit.ErrLimited || d.RetryAfter != never {
			t.Errorf("a cost beyond the rate: %+v, %v", d, err)
		}
		if d := s.Allow(1); d.OK || d.RetryAfter.Round(time.Millisecond) != 200*time.Millisecond {
			t.Errorf("overtook the queue: %+v", d)
		}
		wg.Wait()
		short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if d, err := s.Wait(short, 1); !errors.Is(err, ratelimit.ErrDeadline) || d.RetryAfter.Round(time.Millisecond) != 50*time.Millisecond {
			t.Errorf("beyond the deadline: %+v, %v", d, err)
		}
		s = newShaper(10, 1, time.Second)
		s.Allow(1)
		wg.Go(func() { s.Wait(t.Context(), 1) })
		synctest.Wait()
		if d, err := s.Wait(t.Context(), 1); err != ratelimit.ErrQueueFull || d.OK {
			t.Errorf("%+v, %v", d, err)
		}
		wg.Wait()
		off := newShaper(0, 0, 0)
		if d, err := off.Wait(t.Context(), 1e9); err != nil || !d.OK {
			t.Errorf("%+v, %v", d, err)
		}
		if d, err := off.Wait(t.Context(), -1); err != ratelimit.ErrLimited || d.OK {
			t.Errorf("%+v, %v", d, err)
		}
	})
}

// Those behind one that gives up move up, also behind the first.
func TestShaperMovesUp(t *testing.T) {
	for _, leaver := range []int{1, 2, 3} {
		synctest.Test(t, func(t *testing.T) {
			s := newShaper(10, 5, time.Second)
			start := time.Now()
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(50*time.Millisecond, cancel)
			left := make([]int, 5)
			var wg sync.WaitGroup
			for i := range left {
				wg.Go(func() {
					c := t.Context()
					if i == leaver {
						c = ctx
					}
					_, err := s.Wait(c, 1)
					left[i] = int(time.Since(start).Round(time.Millisecond).Milliseconds())
					if (err != nil) != (i == leaver) {
						t.Error(i, err)
					}
				})
				synctest.Wait()
			}
			wg.Wait()
			slices.Sort(left)
			equal(t, left, 0, 50, 100, 200, 300)
		})
	}
}

func TestShaperChangesWhileTheyWait(t *testing.T) {
	config := ratelimit.Config{Algorithm: ratelimit.LeakyShaper, Queue: 5, MaxWait: 2 * time.Second}
	for _, tt := range []struct {
		rate float64
		want []int
	}{
		{20, []int{0, 75, 125, 175}}, // from 50 ms on
		{2, []int{0, 300, 800, 1300}},
		{0, []int{0, 50, 50, 50}},
		{1, []int{0, 550, 1550, -2001}}, // the last may not wait so long
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newShaper(10, 5, 2*time.Second)
			time.AfterFunc(50*time.Millisecond, func() {
				c := config
				c.Rate = tt.rate
				if c.Rate == 0 {
					c = ratelimit.Config{Algorithm: ratelimit.LeakyShaper}
				}
				if err := s.SetAt(clock.Real.Now(), c); err != nil {
					t.Error(err)
				}
			})
			equal(t, crowd(t.Context(), s, 1, 1, 1, 1), tt.want...)
		})
	}
}

// tardy is a clock whose sleepers wake late.
type tardy struct {
	clock.Clock
	late func(until int64) time.Duration
}

type tardyWaiter struct {
	clock.Waiter
	late func(until int64) time.Duration
}

func (c tardy) NewWaiter() clock.Waiter { return tardyWaiter{c.Clock.NewWaiter(), c.late} }

func (w tardyWaiter) Wait(ctx context.Context, until int64) clock.Ended {
	return w.Waiter.Wait(ctx, clock.Add(until, w.late(until)))
}

// Waking late costs no throughput, and waking very late lets no crowd out.
func TestShaperWakesLate(t *testing.T) {
	for _, tt := range []struct {
		first, others time.Duration
		want          []int
	}{
		{30 * time.Millisecond, 30 * time.Millisecond, []int{0, 130, 230, 330, 430}},
		{450 * time.Millisecond, 0, []int{0, 550, 550, 650, 750}},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newShaper(10, 5, time.Hour)
			start := time.Now()
			turns := 0
			clk := tardy{clock.Real, func(until int64) time.Duration {
				if until > clock.Real.Now()+int64(time.Minute) {
					return 0 // not its turn yet
				}
				if turns++; turns == 1 {
					return tt.first
				}
				return tt.others
			}}
			left := make([]int, len(tt.want))
			var wg sync.WaitGroup
			for i := range left {
				wg.Go(func() {
					if _, err := s.WaitAt(t.Context(), clk, clk.Now(), 1); err != nil {
						t.Error(err)
					}
					left[i] = int(time.Since(start).Round(time.Millisecond).Milliseconds())
				})
				synctest.Wait()
			}
			wg.Wait()
			equal(t, left, tt.want...)
		})
	}
}

// Whose turn it is, but who has not woken yet, is not overtaken.
func TestShaperIsNotOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShaper(10, 5, time.Hour)
		s.Allow(1)
		var wg sync.WaitGroup
		wg.Go(func() { s.Wait(t.Context(), 1) })
		synctest.Wait()
		if d := s.AllowAt(clock.Real.Now()+150*ms, 1); d.OK {
			t.Errorf("overtook: %+v", d)
		}
		wg.Wait()
	})
}

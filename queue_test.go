package stanch_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/ratelimit"
	"github.com/stanch-go/stanch/retry"
)

func TestRate(t *testing.T) {
	second := ratelimit.Config{Rate: 10, Burst: 1} // one in 100 ms
	for _, c := range []struct {
		name   string
		cfg    stanch.Config
		reason stanch.Reason // of the second call at once; "" if it goes through
		wait   time.Duration
		after  time.Duration
	}{
		{"refused at once", stanch.Config{Rate: second}, stanch.ErrRateLimited, 0, 100 * time.Millisecond},
		{"waits for its turn", stanch.Config{Rate: ratelimit.Config{Rate: 10, Burst: 1, MaxWait: 200 * time.Millisecond}}, "", 100 * time.Millisecond, 0},
		{"would wait too long", stanch.Config{Rate: ratelimit.Config{Rate: 10, Burst: 1, MaxWait: 99 * time.Millisecond}}, stanch.ErrRateLimited, 0, 100 * time.Millisecond},
		{"would leave no time", stanch.Config{Rate: ratelimit.Config{Rate: 10, Burst: 1, MaxWait: time.Second}, Timeout: deadline.Config{Total: 90 * time.Millisecond}}, stanch.ErrDeadline, 0, 100 * time.Millisecond},
		{"a shaper's turn", stanch.Config{Rate: ratelimit.Config{Algorithm: ratelimit.LeakyShaper, Rate: 10, Queue: 3, MaxWait: time.Second}}, "", 100 * time.Millisecond, 0},
		{"a window", stanch.Config{Rate: ratelimit.Config{Algorithm: ratelimit.SlidingLog, Rate: 1, Window: time.Minute}}, stanch.ErrRateLimited, 0, time.Minute},
		{"never", stanch.Config{Rate: ratelimit.Config{Algorithm: ratelimit.SlidingLog, Rate: 0.5, Window: time.Minute}}, stanch.ErrRateLimited, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := stanch.Must(stanch.New("shop", c.cfg))
				good := func(context.Context) (int, error) { return 1, nil }
				if _, err := stanch.Do(t.Context(), d, good); err != nil && c.name != "never" {
					t.Fatal(err)
				}
				start := time.Now()
				_, err := stanch.Do(t.Context(), d, good)
				if waited := time.Since(start); waited != c.wait {
					t.Errorf("waited %v, want %v", waited, c.wait)
				}
				refusal, refused := errors.AsType[*stanch.Refusal](err)
				switch {
				case !refused && (err != nil || c.reason != ""):
					t.Errorf("%v, want %q", err, c.reason)
				case refused && (refusal.Reason != c.reason || refusal.RetryAfter != c.after):
					t.Errorf("%v after %v, want %v after %v", refusal.Reason, refusal.RetryAfter, c.reason, c.after)
				}
			})
		})
	}
}

// Every attempt counts, a retry too; and what the limit refuses is nobody's
// failure and holds nothing.
func TestRateCountsAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("shop", stanch.Config{
			Rate:     ratelimit.Config{Rate: 2, Window: time.Hour},
			Retry:    retry.Config{Attempts: 5, Base: time.Millisecond},
			Breaker:  breaker.Config{Consecutive: 3},
			Bulkhead: bulkhead.Config{Limit: 1},
		}))
		calls := 0
		for range 4 {
			_, err := stanch.Do(t.Context(), d, func(context.Context) (int, error) { calls++; return 0, context.DeadlineExceeded })
			if !errors.Is(err, stanch.ErrRateLimited) {
				t.Fatalf("%v, want the rate limit", err)
			}
		}
		if calls != 2 {
			t.Errorf("%d attempts, want 2", calls)
		}
		if s := d.Breaker().State(); s != breaker.Closed {
			t.Errorf("the breaker is %v: it counted refusals", s)
		}
		if n := d.Bulkhead().Stats().InFlight; n != 0 {
			t.Errorf("%d places held", n)
		}
	})
}

// A caller that leaves while it waits for its turn is told so, and its turn goes
// to the next.
func TestRateWaiterLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("shop", stanch.Config{Rate: ratelimit.Config{Rate: 1, MaxWait: time.Minute}}))
		good := func(context.Context) (int, error) { return 1, nil }
		if _, err := stanch.Do(t.Context(), d, good); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if _, err := stanch.Do(ctx, d, good); err != context.Canceled {
			t.Fatalf("%v, want that the caller left", err)
		}
		start := time.Now()
		if _, err := stanch.Do(t.Context(), d, good); err != nil || time.Since(start) != 900*time.Millisecond {
			t.Errorf("%v after %v, want 900ms", err, time.Since(start))
		}
	})
}

package stanch_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/retry"
	"github.com/stanch-go/stanch/stanchtest"
)

// Each reason for which a call is refused before it reaches the dependency.
func TestReasons(t *testing.T) {
	for _, tt := range []struct {
		name    string
		cfg     stanch.Config
		prepare func(*stanch.Dependency)
		within  time.Duration
		want    stanch.Refusal
		took    time.Duration
	}{
		{"breaker open", cfg(func(c *stanch.Config) { c.Breaker.Cooldown = time.Second }),
			func(d *stanch.Dependency) { d.Breaker().ForceOpenAt(clock.Real.Now()) }, 0,
			stanch.Refusal{Reason: stanch.ErrBreakerOpen, RetryAfter: time.Second}, 0},
		{"bulkhead full", cfg(func(c *stanch.Config) { c.Bulkhead.Limit = 1 }),
			func(d *stanch.Dependency) { d.Bulkhead().TryAcquire() }, 0,
			stanch.Refusal{Reason: stanch.ErrBulkheadFull}, 0},
		{"queue timeout", cfg(func(c *stanch.Config) { c.Bulkhead = bulkhead.Config{Limit: 1, Queue: 1, MaxWait: 20 * ms} }),
			func(d *stanch.Dependency) { d.Bulkhead().TryAcquire() }, 0,
			stanch.Refusal{Reason: stanch.ErrQueueTimeout}, 20 * ms},
		{"no queueing beyond a useful attempt", cfg(func(c *stanch.Config) {
			c.Bulkhead = bulkhead.Config{Limit: 1, Queue: 1, MaxWait: time.Second}
			c.Timeout.Useful = 30 * ms
		}), func(d *stanch.Dependency) { d.Bulkhead().TryAcquire() }, 50 * ms,
			stanch.Refusal{Reason: stanch.ErrQueueTimeout}, 20 * ms},
		{"deadline", cfg(func(c *stanch.Config) { c.Timeout.Useful = 30 * ms }), nil, 29 * ms,
			stanch.Refusal{Reason: stanch.ErrDeadline}, 0},
		{"deadline by reserve", cfg(func(c *stanch.Config) { c.Timeout.Reserve = 30 * ms }), nil, 30 * ms,
			stanch.Refusal{Reason: stanch.ErrDeadline}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var rec stanchtest.Recorder
				d := stanch.Must(stanch.New("d", tt.cfg, stanch.WithObserver(&rec)))
				if tt.prepare != nil {
					tt.prepare(d)
				}
				rec.Reset()
				ctx := t.Context()
				if tt.within > 0 {
					bounded, cancel := context.WithTimeout(ctx, tt.within)
					defer cancel()
					ctx = bounded
				}
				start := time.Now()
				s := stanchtest.NewScript[int]()
				_, err := stanch.Do(ctx, d, s.Call)
				refusal, ok := errors.AsType[*stanch.Refusal](err)
				tt.want.Dependency = "d"
				if !ok || *refusal != tt.want || !errors.Is(err, tt.want.Reason) || s.Calls() != 0 || time.Since(start) != tt.took {
					t.Errorf("%#v after %v and %d calls", err, time.Since(start), s.Calls())
				}
				events := rec.Events()
				last := events[len(events)-1]
				if len(events) != 2 || events[0].Step != stanch.StepRefused || events[0].Reason != tt.want.Reason || events[0].Attempt != 1 ||
					last.Step != stanch.StepDone || last.Result != stanch.ResultRefused || last.Outcome != outcome.Ignored || last.Attempt != 0 {
					t.Errorf("events %q", rec.Strings())
				}
			})
		})
	}
}

// A breaker that refuses all speaks first, whether or not somebody watches; only
// a caller that has left is told so. The refusal is counted once.
func TestOpenBreakerSpeaksFirst(t *testing.T) {
	for _, watched := range []bool{false, true} {
		for _, tt := range []struct {
			name string
			ctx  func(context.Context) (context.Context, context.CancelFunc)
			want error
		}{
			{"too little time", func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, 10*ms)
			}, stanch.ErrBreakerOpen},
			{"nested", func(ctx context.Context) (context.Context, context.CancelFunc) {
				return fallback.Enter(ctx, "stale"), func() {}
			}, stanch.ErrBreakerOpen},
			{"left", func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				cancel()
				return ctx, cancel
			}, context.Canceled},
		} {
			synctest.Test(t, func(t *testing.T) {
				var rec stanchtest.Recorder
				var options []stanch.Option
				if watched {
					options = append(options, stanch.WithObserver(&rec))
				}
				d := stanch.Must(stanch.New("d", cfg(func(c *stanch.Config) {
					c.Timeout.Useful = 30 * ms
					c.Breaker.Cooldown = time.Second
				}), options...))
				d.Breaker().ForceOpenAt(clock.Real.Now())
				rec.Reset()
				ctx, cancel := tt.ctx(t.Context())
				defer cancel()
				s := stanchtest.NewScript[int]()
				_, err := stanch.Do(ctx, d, s.Call)
				if !errors.Is(err, tt.want) || s.Calls() != 0 {
					t.Errorf("%s, watched %v: %v after %d calls", tt.name, watched, err, s.Calls())
				}
				refused := uint64(0)
				if tt.want == stanch.ErrBreakerOpen {
					refused = 1
				}
				if got := stats(d).Refused; got != refused {
					t.Errorf("%s, watched %v: %d refused", tt.name, watched, got)
				}
				if watched && rec.Count(stanch.StepDone) != 1 {
					t.Errorf("%s: events %q", tt.name, rec.Strings())
				}
			})
		}
	}
}

func TestReasonTexts(t *testing.T) {
	for _, r := range []stanch.Reason{
		stanch.ErrBreakerOpen, stanch.ErrBulkheadFull, stanch.ErrQueueTimeout, stanch.ErrBudget,
		stanch.ErrDeadline, stanch.ErrRateLimited, stanch.ErrQuota, stanch.ErrShed, stanch.ErrNested,
	} {
		if text, ok := strings.CutPrefix(r.Error(), "stanch: "); !ok || text == r.Label() {
			t.Errorf("%s has no words: %q", r.Label(), r.Error())
		}
		if strings.ToLower(r.Label()) != r.Label() || strings.ContainsAny(r.Label(), " -") {
			t.Errorf("%q is no label", r.Label())
		}
	}
	if got := stanch.Reason("custom").Error(); got != "stanch: custom" {
		t.Errorf("an unknown reason is %q", got)
	}
	full := stanch.Refusal{Dependency: "db", Reason: stanch.ErrBreakerOpen, RetryAfter: 120 * ms, Cause: errOther}
	if got := full.Error(); got != "stanch: db: the circuit breaker is open (try again in 120ms): other" {
		t.Errorf("got %q", got)
	}
}

// Refusal.RetryAfter is rounded up, and never overflows.
func TestRetryAfterIsRounded(t *testing.T) {
	for _, tt := range []struct{ cooldown, want time.Duration }{
		{ms, 10 * ms}, {10 * ms, 10 * ms}, {10*ms + 1, 20 * ms}, {math.MaxInt64, math.MaxInt64},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := stanch.Must(stanch.New("d", cfg(func(c *stanch.Config) { c.Breaker.Cooldown = tt.cooldown })))
			d.Breaker().ForceOpenAt(clock.Real.Now())
			_, err := stanch.Do(t.Context(), d, stanchtest.NewScript[int]().Call)
			if r, ok := errors.AsType[*stanch.Refusal](err); !ok || r.RetryAfter != tt.want {
				t.Errorf("cooldown %v: %v", tt.cooldown, err)
			}
		})
	}
}

// In dark mode a breaker refuses neither calls nor retries.
func TestDarkBreakerRefusesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", retrying(func(c *stanch.Config) {
			c.Breaker = breaker.Config{Consecutive: 1, Dark: true}
		})))
		s := stanchtest.NewScript(reply{Err: errLost}, reply{Err: errLost}, reply{Value: 7})
		if v, err := stanch.Do(t.Context(), d, s.Call); v != 7 || err != nil {
			t.Errorf("%v, %v after %d calls", v, err, s.Calls())
		}
		if stats(d).WouldRefuse != 2 {
			t.Errorf("%+v", stats(d))
		}
	})
}

// A refusal by another dependency's guard says nothing of this one.
func TestInnerRefusalIsIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := stanch.Must(stanch.New("inner", cfg(func(c *stanch.Config) { c.Breaker.Cooldown = time.Second })))
		inner.Breaker().ForceOpenAt(clock.Real.Now())
		outer := stanch.Must(stanch.New("outer", retrying(func(c *stanch.Config) {
			c.Breaker = breaker.Config{Consecutive: 1}
			c.Budget = retry.BudgetConfig{Kind: retry.KindToken}
		})))
		calls := 0
		for range 20 {
			_, err := stanch.Do(t.Context(), outer, func(ctx context.Context) (int, error) {
				calls++
				return stanch.Do(ctx, inner, stanchtest.NewScript[int]().Call)
			})
			if r, ok := errors.AsType[*stanch.Refusal](err); !ok || r.Dependency != "inner" {
				t.Fatal(err)
			}
		}
		if s := stats(outer); calls != 20 || s.State != breaker.Closed || s.Total != 0 || outer.Budget().BalanceAt(0) != 10 {
			t.Errorf("%d calls, %+v, balance %v", calls, s, outer.Budget().BalanceAt(0))
		}
	})
}

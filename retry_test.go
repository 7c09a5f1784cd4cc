package stanch_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/retry"
	"github.com/stanch-go/stanch/stanchtest"
)

// When a failed attempt is followed by another one, and when not.
func TestRetries(t *testing.T) {
	lost := reply{Err: errLost}
	token := func(c *stanch.Config) { c.Budget = retry.BudgetConfig{Kind: retry.KindToken, Max: 3} }
	for _, tt := range []struct {
		name    string
		change  func(*stanch.Config)
		within  time.Duration
		replies []reply
		calls   int
		took    time.Duration
		reason  stanch.Reason // "" none
		err     error
	}{
		{"the first attempt counts", nil, 0, []reply{lost}, 3, 30 * ms, "", errLost},
		{"until it works", nil, 0, []reply{lost, {}}, 2, 10 * ms, "", nil},
		{"not what will not pass", nil, 0, []reply{{Err: errOther}}, 1, 0, "", errOther},
		{"not an answer", nil, 0, []reply{{Err: outcome.Answer(errOther)}}, 1, 0, "", errOther},
		{"not what was excluded", nil, 0, []reply{{Err: outcome.Excluded(errOther)}}, 1, 0, "", errOther},
		{"a timeout", nil, 0, []reply{{After: stanchtest.Forever}, {}}, 2, 110 * ms, "", nil},
		{"not a late answer", nil, 0, []reply{{After: 101 * ms, Deaf: true}}, 1, 101 * ms, "", nil},
		{"one attempt is no retry", func(c *stanch.Config) { c.Retry = retry.Config{Attempts: 1} }, 0, []reply{lost}, 1, 0, "", errLost},

		{"the server's wish is followed", nil, 0, []reply{{Err: outcome.After(errOther, 70*ms)}, {}}, 2, 70 * ms, "", nil},
		{"a wish beyond the cap ends the call", nil, 0, []reply{{Err: outcome.After(errOther, time.Hour)}}, 1, 0, stanch.ErrDeadline, errOther},
		{"a wish beyond the time ends the call", nil, 60 * ms, []reply{{Err: outcome.After(errOther, 60*ms)}}, 1, 0, stanch.ErrDeadline, errOther},
		{"a wish within the time does not", nil, 60 * ms, []reply{{Err: outcome.After(errOther, 59*ms)}, {}}, 2, 59 * ms, "", nil},
		{"a wish of nothing is none", nil, 0, []reply{{Err: outcome.After(errOther, 0)}, {}}, 2, 10 * ms, "", nil},

		{"a wait that does not fit is not begun", nil, 25 * ms, []reply{lost}, 2, 10 * ms, stanch.ErrDeadline, errLost},
		{"nor one that leaves too little", func(c *stanch.Config) { c.Timeout.Useful = 20 * ms }, 29 * ms, []reply{lost}, 1, 0, stanch.ErrDeadline, errLost},
		{"total bounds all attempts", func(c *stanch.Config) { c.Timeout.Total = 150 * ms }, 0, []reply{{After: stanchtest.Forever}}, 2, 150 * ms, stanch.ErrDeadline, context.DeadlineExceeded},
		{"the caller's deadline is no reason for a retry", nil, 50 * ms, []reply{{After: stanchtest.Forever}}, 1, 50 * ms, "", context.DeadlineExceeded},

		{"while the budget lasts", token, 0, []reply{lost}, 2, 10 * ms, stanch.ErrBudget, errLost},
		{"a breaker that will not admit in time", func(c *stanch.Config) {
			c.Breaker = breaker.Config{Consecutive: 1, Cooldown: 11 * ms}
		}, 0, []reply{lost}, 1, 0, stanch.ErrBreakerOpen, errLost},
		{"a breaker that will", func(c *stanch.Config) {
			c.Breaker = breaker.Config{Consecutive: 1, Cooldown: 10 * ms}
		}, 0, []reply{lost, {}}, 2, 10 * ms, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var rec stanchtest.Recorder
				d := stanch.Must(stanch.New("d", retrying(tt.change), stanch.WithObserver(&rec)))
				ctx := t.Context()
				if tt.within > 0 {
					bounded, cancel := context.WithTimeout(ctx, tt.within)
					defer cancel()
					ctx = bounded
				}
				start := time.Now()
				s := stanchtest.NewScript(tt.replies...)
				_, err := stanch.Do(ctx, d, s.Call)
				if s.Calls() != tt.calls || time.Since(start) != tt.took || !errors.Is(err, tt.err) {
					t.Errorf("%d calls, %v, %v; want %d, %v, %v", s.Calls(), time.Since(start), err, tt.calls, tt.took, tt.err)
				}
				refusal, refused := errors.AsType[*stanch.Refusal](err)
				if refused != (tt.reason != "") || refused && refusal.Reason != tt.reason {
					t.Errorf("refused by %v, want %q", err, tt.reason)
				}
				if n := rec.Count(stanch.StepRetryRefused); (n == 1) != (tt.reason != "") {
					t.Errorf("%d retries refused: %q", n, rec.Strings())
				}
				if backoffs := rec.Count(stanch.StepBackoff); backoffs != tt.calls-1 {
					t.Errorf("%d backoffs for %d calls", backoffs, tt.calls)
				}
			})
		})
	}
}

// Tries of several layers add up and do not multiply: what is itself a retry, or
// done for one, is not retried.
func TestRetryIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", retrying(nil)))
		for n, want := range map[int]int{0: 3, 1: 3, 2: 1, 7: 1} {
			s := stanchtest.NewScript(reply{Err: errLost})
			if _, err := stanch.Do(deadline.WithAttempt(t.Context(), n), d, s.Call); err != errLost || s.Calls() != want {
				t.Errorf("for attempt %d: %d calls, %v; want %d", n, s.Calls(), err, want)
			}
		}
		outer := stanch.Must(stanch.New("outer", retrying(nil)))
		s := stanchtest.NewScript(reply{Err: errLost})
		stanch.Do(t.Context(), outer, func(ctx context.Context) (int, error) { return stanch.Do(ctx, d, s.Call) })
		if s.Calls() != 3+1+1 {
			t.Errorf("two layers of three make %d calls, want 5", s.Calls())
		}
		for name, c := range map[string]stanch.Config{"with timeouts": retrying(nil), "without": retrying(func(c *stanch.Config) { c.Timeout.Attempt = 0 })} {
			a, b, c := stanch.Must(stanch.New("a", c)), stanch.Must(stanch.New("b", c)), stanch.Must(stanch.New("c", c))
			s := stanchtest.NewScript(reply{Err: errLost})
			stanch.Do(t.Context(), a, func(ctx context.Context) (int, error) {
				return stanch.Do(ctx, b, func(ctx context.Context) (int, error) { return stanch.Do(ctx, c, s.Call) })
			})
			if s.Calls() != 3+1+1+1+1 {
				t.Errorf("%s: three layers of three make %d calls, want 7", name, s.Calls())
			}
		}
	})
}

// What the budget was charged for a retry that never left is returned.
func TestChargeOfARetryThatNeverLeft(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(d *stanch.Dependency, cancel func()) // what happens during the backoff
		want float64
	}{
		{"it left", func(*stanch.Dependency, func()) {}, 3},
		{"the caller went away", func(_ *stanch.Dependency, cancel func()) { cancel() }, 4},
		{"the breaker opened", func(d *stanch.Dependency, _ func()) { d.Breaker().ForceOpenAt(clock.Real.Now()) }, 4},
		{"no place was left", func(d *stanch.Dependency, _ func()) { d.Bulkhead().TryAcquire() }, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := stanch.Must(stanch.New("d", retrying(func(c *stanch.Config) {
					c.Retry.Attempts = 2
					c.Budget = retry.BudgetConfig{Kind: retry.KindEarning, Max: 4, Trickle: 0.001}
					c.Breaker = breaker.Config{MinCalls: 100}
					c.Bulkhead.Limit = 1
				})))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				_, err := stanch.Do(ctx, d, func(context.Context) (int, error) {
					time.AfterFunc(5*ms, func() { tt.end(d, cancel) })
					return 0, errLost
				})
				got := d.Budget().BalanceAt(clock.Real.Now())
				if err == nil || got < tt.want || got > tt.want+0.001 {
					t.Errorf("%v, balance %v, want %v", err, got, tt.want)
				}
			})
		})
	}
}

// A seed makes the waits reproducible, and other seeds make others.
func TestSeed(t *testing.T) {
	waits := func(seed uint64) (waits []time.Duration) {
		c := retrying(func(c *stanch.Config) { c.Retry = retry.Config{Attempts: 6} })
		d := stanch.Must(stanch.New("d", c, stanch.WithSeed(seed), stanch.WithObserver(stanch.ObserverFunc(func(e stanch.Event) {
			if e.Step == stanch.StepBackoff {
				waits = append(waits, e.Wait)
			}
		}))))
		synctest.Test(t, func(t *testing.T) { stanch.Do(t.Context(), d, stanchtest.NewScript(reply{Err: errLost}).Call) })
		return waits
	}
	one, again, two := waits(1), waits(1), waits(2)
	if len(one) != 5 || one[0] != again[0] || one[4] != again[4] || one[0] == two[0] {
		t.Errorf("%v, %v, %v", one, again, two)
	}
}

package stanch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/retry"
	"github.com/stanch-go/stanch/stanchtest"
)

const ms = time.Millisecond

var (
	errLost  = outcome.Retryable(errors.New("lost"))
	errOther = errors.New("other")
)

type reply = stanchtest.Reply[int]

func cfg(change func(*stanch.Config)) stanch.Config {
	var c stanch.Config
	change(&c)
	return c
}

// bounded is an attempt of at most 100 ms and nothing else.
var bounded = cfg(func(c *stanch.Config) { c.Timeout.Attempt = 100 * ms })

// retrying is three attempts with waits of 10 and 20 ms.
func retrying(change func(*stanch.Config)) stanch.Config {
	return cfg(func(c *stanch.Config) {
		c.Timeout.Attempt = 100 * ms
		c.Retry = retry.Config{Attempts: 3, Base: 10 * ms, Jitter: retry.None}
		if change != nil {
			change(c)
		}
	})
}

func stats(d *stanch.Dependency) breaker.Stats { return d.Breaker().StatsAt(clock.Real.Now()) }

func expect(t *testing.T, rec *stanchtest.Recorder, want ...string) {
	t.Helper()
	if got := rec.Strings(); !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// Each way in which a call can end, with what is told of it.
func TestResults(t *testing.T) {
	inner := &stanch.Refusal{Dependency: "inner", Reason: stanch.ErrBreakerOpen}
	for _, tt := range []struct {
		name   string
		cfg    stanch.Config
		within time.Duration // the caller's deadline; 0: none
		cancel time.Duration // when the caller goes away; 0: never
		reply  reply
		want   string // of the whole call; the attempt's is the same
		err    error
	}{
		{"ok", bounded, 0, 0, reply{After: 100 * ms, Deaf: true}, "ok success 100ms", nil},
		{"ok without any guard", stanch.Config{}, 0, 0, reply{After: ms}, "ok success 1ms", nil},
		{"answer", bounded, 0, 0, reply{Err: outcome.Answer(errOther)}, "answer success 0s: other", errOther},
		{"error", bounded, 0, 0, reply{Err: errOther, After: 3 * ms}, "error failure 3ms: other", errOther},
		{"timeout", bounded, 0, 0, reply{After: stanchtest.Forever}, "timeout failure 100ms: context deadline exceeded", context.DeadlineExceeded},
		{"timeout by total", cfg(func(c *stanch.Config) { c.Timeout.Total = 40 * ms }), 0, 0, reply{After: stanchtest.Forever}, "timeout failure 40ms: context deadline exceeded", context.DeadlineExceeded},
		{"timeout told by the cause", bounded, 0, 0, reply{After: 100 * ms, Deaf: true, Err: stanch.ErrTimeout}, "timeout failure 100ms: stanch: no answer within the attempt's time limit", stanch.ErrTimeout},
		{"timeout told by a connection", bounded, 0, 0, reply{After: 100 * ms, Deaf: true, Err: os.ErrDeadlineExceeded}, "timeout failure 100ms: i/o timeout", os.ErrDeadlineExceeded},
		{"error of an inner limit", bounded, 0, 0, reply{After: 20 * ms, Err: context.DeadlineExceeded}, "error failure 20ms: context deadline exceeded", context.DeadlineExceeded},
		{"late", bounded, 0, 0, reply{After: 101 * ms, Deaf: true}, "late failure 101ms", nil},
		{"caller-deadline", bounded, 50 * ms, 0, reply{After: stanchtest.Forever}, "caller-deadline ignored 50ms: context deadline exceeded", context.DeadlineExceeded},
		{"caller's deadline is all there is", stanch.Config{}, 50 * ms, 0, reply{After: stanchtest.Forever}, "timeout failure 50ms: context deadline exceeded", context.DeadlineExceeded},
		{"caller-canceled", bounded, 0, 30 * ms, reply{After: stanchtest.Forever}, "caller-canceled ignored 30ms: context canceled", context.Canceled},
		{"canceled, but not by the caller", bounded, 0, 0, reply{Err: context.Canceled}, "excluded ignored 0s: context canceled", context.Canceled},
		{"an answer for a caller that has gone", bounded, 0, 30 * ms, reply{After: 40 * ms, Deaf: true}, "ok success 40ms", nil},
		{"refused", bounded, 0, 0, reply{Err: fmt.Errorf("inner: %w", inner)}, "refused ignored 0s: inner: stanch: inner: the circuit breaker is open", stanch.ErrBreakerOpen},
		{"excluded", bounded, 0, 0, reply{Err: outcome.Excluded(errOther)}, "excluded ignored 0s: other", errOther},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				if tt.within > 0 {
					ctx, cancel = context.WithTimeout(ctx, tt.within)
					defer cancel()
				}
				tt.reply.Value = 7
				var rec stanchtest.Recorder
				d := stanch.Must(stanch.New("d", tt.cfg, stanch.WithObserver(&rec)))
				v, err := stanch.Do(ctx, d, stanchtest.NewScript(tt.reply).Call)
				if !errors.Is(err, tt.err) {
					t.Errorf("got %v, want %v", err, tt.err)
				}
				if err == nil && v != 7 {
					t.Errorf("the value is %v", v)
				}
				at := strings.TrimSuffix(strings.Fields(tt.want)[2], ":")
				expect(t, &rec, "0s d: attempt 1", at+" d: attempt-done 1 "+tt.want, at+" d: done 1 "+tt.want)
			})
		})
	}
}

// A caller that has gone before the call begins costs the dependency nothing.
func TestCallerGoneBefore(t *testing.T) {
	for _, tt := range []struct {
		name string
		ctx  func(context.Context) (context.Context, context.CancelFunc)
		want string
	}{
		{"canceled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		}, "0s d: done 0 caller-canceled ignored 0s: context canceled"},
		{"out of time", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 0)
		}, "0s d: done 0 caller-deadline ignored 0s: context deadline exceeded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := tt.ctx(t.Context())
				defer cancel()
				var rec stanchtest.Recorder
				d := stanch.Must(stanch.New("d", stanch.Standard(100*ms), stanch.WithObserver(&rec)))
				s := stanchtest.NewScript[int]()
				if _, err := stanch.Do(ctx, d, s.Call); err != ctx.Err() || s.Calls() != 0 {
					t.Errorf("%v after %d calls", err, s.Calls())
				}
				expect(t, &rec, tt.want)
			})
		})
	}
}

// A panic and a Goexit pass through, and the call is settled all the same.
func TestPanicPassesThrough(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("broken") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var rec stanchtest.Recorder
				c := bounded
				c.Bulkhead.Limit = 1
				d := stanch.Must(stanch.New("d", c, stanch.WithObserver(&rec)))
				done := make(chan any)
				go func() {
					defer func() { done <- recover() }()
					stanch.Do(t.Context(), d, func(context.Context) (int, error) {
						time.Sleep(5 * ms)
						end()
						return 0, nil
					})
				}()
				if r := <-done; name == "panic" && r != "broken" {
					t.Errorf("recovered %v", r)
				}
				expect(t, &rec, "0s d: attempt 1", "5ms d: attempt-done 1 panic failure 5ms", "5ms d: done 1 panic failure 5ms")
				if s := d.Bulkhead().Stats(); s.InFlight != 0 {
					t.Errorf("left behind: %+v", s)
				}
			})
		})
	}
}

// Everything on, from the first attempt to the fallback: the order that there is.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rec stanchtest.Recorder
		d := stanch.Must(stanch.New("d", retrying(func(c *stanch.Config) {
			c.Budget = retry.BudgetConfig{Kind: retry.KindEarning}
			c.Breaker = breaker.Config{Consecutive: 2, Cooldown: 15 * ms}
			c.Bulkhead = bulkhead.Config{Limit: 1, Queue: 1, MaxWait: 30 * ms}
		}), stanch.WithObserver(&rec)))
		d.Bulkhead().TryAcquire()
		time.AfterFunc(7*ms, d.Bulkhead().Release)
		s := stanchtest.NewScript(reply{Err: errLost, After: 3 * ms}, reply{After: stanchtest.Forever})
		a, err := stanch.Ask(t.Context(), d, func(ctx context.Context) (int, error) {
			if in := d.Bulkhead().Stats().InFlight; in != 1 {
				t.Errorf("%d in flight during an attempt", in)
			}
			return s.Call(ctx)
		}, stanch.Or("stale", func(context.Context) (int, error) { return 5, nil }))
		if err != nil || a.Value != 5 || a.Source != "stale" || a.Cause != context.DeadlineExceeded {
			t.Errorf("%+v, %v", a, err)
		}
		expect(t, &rec,
			"0s d: attempt 1 queued 7ms",
			"3ms d: attempt-done 1 error failure 3ms: lost",
			"3ms d: backoff 2 wait 10ms",
			"13ms d: attempt 2",
			"113ms d: transition closed to open",
			"113ms d: attempt-done 2 timeout failure 100ms: context deadline exceeded",
			"113ms d: backoff 3 wait 20ms",
			"128ms d: transition open to half-open",
			"133ms d: attempt 3",
			"233ms d: transition half-open to open",
			"233ms d: attempt-done 3 timeout failure 100ms: context deadline exceeded",
			"233ms d: done 3 timeout failure 240ms: context deadline exceeded",
			"233ms d: fallback stale 0s",
		)
	})
}

// A place is held from the attempt's beginning to its end, and in no backoff.
func TestBackoffHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d *stanch.Dependency
		d = stanch.Must(stanch.New("d", retrying(func(c *stanch.Config) {
			c.Breaker = breaker.Config{Consecutive: 1, Cooldown: 5 * ms, Probes: 1}
			c.Bulkhead.Limit = 1
		}), stanch.WithObserver(stanch.ObserverFunc(func(e stanch.Event) {
			if e.Step == stanch.StepBackoff && d.Bulkhead().Stats().InFlight+stats(d).Probes != 0 {
				t.Errorf("before attempt %d something is held", e.Attempt)
			}
		}))))
		s := stanchtest.NewScript(reply{Err: errLost}, reply{Err: errLost}, reply{})
		if _, err := stanch.Do(t.Context(), d, s.Call); err != nil {
			t.Error(err)
		}
	})
}

// The field by which the breaker sees whole calls instead of attempts.
func TestBreakerCounts(t *testing.T) {
	for _, tt := range []struct {
		counts   breaker.Counts
		total    int
		failures int
	}{
		{breaker.CountsAttempts, 3, 2},
		{breaker.CountsCall, 1, 0},
	} {
		t.Run(string(tt.counts), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := stanch.Must(stanch.New("d", retrying(func(c *stanch.Config) {
					c.Breaker = breaker.Config{MinCalls: 10, Counts: tt.counts}
				})))
				if _, err := stanch.Do(t.Context(), d, stanchtest.NewScript(reply{Err: errLost}, reply{Err: errLost}, reply{}).Call); err != nil {
					t.Fatal(err)
				}
				if s := stats(d); s.Total != tt.total || s.Failures != tt.failures {
					t.Errorf("%d failures of %d, want %d of %d", s.Failures, s.Total, tt.failures, tt.total)
				}
			})
		})
	}
}

// A call that failed and was not tried again for want of a place has failed, and
// the breaker that counts calls hears of it.
func TestFailedCallIsNotForgiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rec stanchtest.Recorder
		d := stanch.Must(stanch.New("d", retrying(func(c *stanch.Config) {
			c.Breaker = breaker.Config{Consecutive: 1, Counts: breaker.CountsCall}
			c.Bulkhead.Limit = 1
		}), stanch.WithObserver(&rec)))
		_, err := stanch.Do(t.Context(), d, func(context.Context) (int, error) {
			time.AfterFunc(5*ms, func() { d.Bulkhead().TryAcquire() })
			return 0, errLost
		})
		if !errors.Is(err, stanch.ErrBulkheadFull) || !errors.Is(err, errLost) {
			t.Error(err)
		}
		expect(t, &rec,
			"0s d: attempt 1",
			"0s d: attempt-done 1 error failure 0s: lost",
			"0s d: backoff 2 wait 10ms",
			"10ms d: refused 2 bulkhead_full: lost",
			"10ms d: transition closed to open",
			"10ms d: done 1 error failure 10ms: stanch: d: the bulkhead is full: lost",
		)
	})
}

// The attempt's context ends when the attempt does, unless the caller's is all
// there is.
func TestAttemptContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", bounded))
		var seen context.Context
		_, err := stanch.Do(t.Context(), d, func(ctx context.Context) (int, error) {
			seen = ctx
			at, ok := ctx.Deadline()
			if !ok || time.Until(at) != 100*ms || deadline.AttemptOf(ctx) != 1 {
				t.Errorf("deadline %v, %v, attempt %d", time.Until(at), ok, deadline.AttemptOf(ctx))
			}
			<-ctx.Done()
			if context.Cause(ctx) != stanch.ErrTimeout {
				t.Errorf("the cause is %v", context.Cause(ctx))
			}
			return 0, nil
		})
		if err != nil || seen.Err() == nil {
			t.Errorf("%v, %v", err, seen.Err())
		}
		free := stanch.Must(stanch.New("free", stanch.Config{}))
		stanch.Do(t.Context(), free, func(ctx context.Context) (int, error) {
			if ctx != t.Context() {
				t.Error("a context where none is needed")
			}
			return 0, nil
		})
	})
}

func TestGuarded(t *testing.T) {
	d := stanch.Must(stanch.New("d", bounded))
	g := stanch.Guard(d, stanchtest.NewScript(reply{Value: 7}).Call)
	if v, err := g.Load(t.Context()); v != 7 || err != nil || g.GuardedBy() != "d" {
		t.Errorf("%v, %v from %q", v, err, g.GuardedBy())
	}
}

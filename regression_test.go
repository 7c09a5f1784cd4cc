package stanch_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/retry"
	"github.com/stanch-go/stanch/stanchtest"
)

// oneProbe opens at the first failure, is half-open after 50 ms, and has one
// place and one probe, so that anything lost shows at once.
var oneProbe = cfg(func(c *stanch.Config) {
	c.Breaker = breaker.Config{Consecutive: 1, Cooldown: 50 * ms, Probes: 1, ProbeLease: 10 * time.Second}
	c.Bulkhead.Limit = 1
})

// call runs a call on a goroutine of its own and waits for its end, whatever it is.
func call(ctx context.Context, d *stanch.Dependency, fn func(context.Context) (int, error)) (err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { recover() }()
		_, err = stanch.Do(ctx, d, fn)
	}()
	<-done
	return err
}

// failsafe-go 0.9.8, cinar/resile: a panic in the function, recovered further
// up, kept its permits: half-open for ever, and a bulkhead that shrank to 0.
// gobreaker 2.4.0: so did a runtime.Goexit.
func TestPanicKeptItsPermits(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("broken") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := stanch.Must(stanch.New("d", oneProbe))
				broken := func(context.Context) (int, error) { end(); return 0, nil }
				for range 3 { // closed, then twice as the one probe
					call(t.Context(), d, broken)
					if s := stats(d); s.State != breaker.Open || s.Probes != 0 || d.Bulkhead().Stats().InFlight != 0 {
						t.Fatalf("after it: %+v, %+v", s, d.Bulkhead().Stats())
					}
					time.Sleep(60 * ms) // virtual: the cooldown
				}
				if err := call(t.Context(), d, stanchtest.NewScript[int]().Call); err != nil || stats(d).State != breaker.Closed {
					t.Errorf("it never recovers: %v, %+v", err, stats(d))
				}
			})
		})
	}
}

// gobreaker 2.4.0, Sentinel #1638: a probe that hangs left the breaker half-open
// for ever. Here its place is leased.
func TestHangingProbeWedgedTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := oneProbe
		c.Bulkhead.Limit = 2
		d := stanch.Must(stanch.New("d", c))
		call(t.Context(), d, stanchtest.NewScript(reply{Err: errLost}).Call)
		time.Sleep(60 * ms)
		hang := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			stanch.Do(t.Context(), d, func(context.Context) (int, error) { <-hang; return 0, nil })
		})
		synctest.Wait()
		if err := call(t.Context(), d, stanchtest.NewScript[int]().Call); !errors.Is(err, stanch.ErrBreakerOpen) {
			t.Errorf("beside the one probe: %v", err)
		}
		time.Sleep(10*time.Second + 60*ms) // the lease, and the cooldown after it
		if err := call(t.Context(), d, stanchtest.NewScript[int]().Call); err != nil {
			t.Errorf("still wedged: %v", err)
		}
		close(hang)
		wg.Wait()
	})
}

// Sentinel #1638, resilience4j #1389: a probe that a later guard refused was
// never resolved.
func TestRefusedProbeWedgedTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", oneProbe))
		call(t.Context(), d, stanchtest.NewScript(reply{Err: errLost}).Call)
		time.Sleep(60 * ms)
		d.Bulkhead().TryAcquire()
		for range 3 {
			if err := call(t.Context(), d, stanchtest.NewScript[int]().Call); !errors.Is(err, stanch.ErrBulkheadFull) {
				t.Fatal(err)
			}
		}
		d.Bulkhead().Release()
		if err := call(t.Context(), d, stanchtest.NewScript[int]().Call); err != nil || stats(d).State != breaker.Closed {
			t.Errorf("wedged: %v, %+v", err, stats(d))
		}
	})
}

// failsafe-go, hystrix-go, cep21/circuit #159, resilience4j, Polly: a call that
// was admitted while closed and ended while half-open decided in the probe's
// place.
func TestOldCallDecidedForTheProbe(t *testing.T) {
	for name, end := range map[string]error{"a success closed": nil, "a failure reopened": errLost} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := oneProbe
				c.Bulkhead.Limit = 3
				d := stanch.Must(stanch.New("d", c))
				var wg sync.WaitGroup
				wg.Go(func() {
					stanch.Do(t.Context(), d, stanchtest.NewScript(reply{After: 100 * ms, Err: end}).Call)
				})
				synctest.Wait()
				call(t.Context(), d, stanchtest.NewScript(reply{Err: errLost}).Call)
				time.Sleep(60 * ms)
				wg.Go(func() {
					stanch.Do(t.Context(), d, stanchtest.NewScript(reply{After: 100 * ms}).Call)
				})
				time.Sleep(50 * ms) // the old call has ended, the probe has not
				if s := stats(d); s.State != breaker.HalfOpen || s.Probes != 1 {
					t.Errorf("the old call decided: %+v", s)
				}
				wg.Wait()
				if s := stats(d); s.State != breaker.Closed {
					t.Errorf("the probe did not: %+v", s)
				}
			})
		})
	}
}

// go-kratos #2777: calls that were refused here counted as failures there, so
// the breaker kept itself open.
func TestRefusalsCountedAsFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", cfg(func(c *stanch.Config) {
			c.Breaker = breaker.Config{MinCalls: 1}
			c.Bulkhead.Limit = 1
			c.Budget.Kind = retry.KindToken
		})))
		d.Bulkhead().TryAcquire()
		for range 50 {
			call(t.Context(), d, stanchtest.NewScript[int]().Call)
		}
		if s := stats(d); s.State != breaker.Closed || s.Total != 0 || d.Budget().BalanceAt(0) != 10 {
			t.Errorf("%+v, balance %v", s, d.Budget().BalanceAt(0))
		}
	})
}

// Polly #311, #717: a probe that its caller canceled closed the breaker.
func TestCanceledProbeClosedTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", oneProbe))
		call(t.Context(), d, stanchtest.NewScript(reply{Err: errLost}).Call)
		time.Sleep(60 * ms)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*ms, cancel)
		if err := call(ctx, d, stanchtest.NewScript(reply{After: stanchtest.Forever}).Call); err != context.Canceled {
			t.Fatal(err)
		}
		if s := stats(d); s.State != breaker.HalfOpen || s.Probes != 0 {
			t.Errorf("it decided: %+v", s)
		}
	})
}

// A caller that cancels with a cause of its own, which the function returns, was
// taken for a failure of the dependency.
func TestCauseOfTheCallerCountedAsFailure(t *testing.T) {
	shutdown := errors.New("shutting down")
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", oneProbe))
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(10*ms, func() { cancel(shutdown) })
		err := call(ctx, d, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		})
		if err != shutdown || stats(d).State != breaker.Closed {
			t.Errorf("%v, %+v", err, stats(d))
		}
	})
}

// The same with a deadline of the caller's that has a cause of its own.
func TestCauseOfTheCallersDeadlineCountedAsFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tooLong := errors.New("the page took too long")
		c := oneProbe
		c.Timeout.Attempt = time.Second
		d := stanch.Must(stanch.New("d", c))
		ctx, cancel := context.WithTimeoutCause(t.Context(), 10*ms, tooLong)
		defer cancel()
		err := call(ctx, d, func(ctx context.Context) (int, error) {
			<-ctx.Done()
			return 0, context.Cause(ctx)
		})
		if err != tooLong || stats(d).State != breaker.Closed {
			t.Errorf("%v, %+v", err, stats(d))
		}
	})
}

// go-retryablehttp #247, #295: "Retry-After: 86400" slept for a day, and
// "9223372037" overflowed into no wait at all. Polly: a wish beyond the cap was
// waited for until the total timeout killed the call.
func TestRetryAfterWasObeyedBlindly(t *testing.T) {
	for _, header := range []string{"86400", "9223372037", "99999999999999999999"} {
		synctest.Test(t, func(t *testing.T) {
			d := stanch.Must(stanch.New("d", retrying(nil)))
			after, _ := outcome.RetryAfter(header, time.Now())
			s := stanchtest.NewScript(reply{Err: outcome.After(errOther, after)})
			start := time.Now()
			_, err := stanch.Do(t.Context(), d, s.Call)
			refusal, ok := errors.AsType[*stanch.Refusal](err)
			if !ok || refusal.Reason != stanch.ErrDeadline || !errors.Is(err, errOther) || refusal.RetryAfter != after {
				t.Errorf("%s: %v", header, err)
			}
			if s.Calls() != 1 || time.Since(start) != 0 {
				t.Errorf("%s: %d calls in %v", header, s.Calls(), time.Since(start))
			}
		})
	}
}

// gojek/heimdall #145: a cancellation in the backoff was noticed at its end.
// go-retryablehttp #292, failsafe-go, avast/retry-go: a backoff that could not be
// over in time was slept through anyway.
func TestHopelessSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := retrying(nil)
		c.Retry.Base, c.Retry.Cap = time.Hour, time.Hour
		d := stanch.Must(stanch.New("d", c))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*ms, cancel)
		start := time.Now()
		if _, err := stanch.Do(ctx, d, stanchtest.NewScript(reply{Err: errLost}).Call); err != context.Canceled || time.Since(start) != 10*ms {
			t.Errorf("canceled: %v after %v", err, time.Since(start))
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start = time.Now()
		if _, err := stanch.Do(ctx, d, stanchtest.NewScript(reply{Err: errLost}).Call); !errors.Is(err, errLost) || time.Since(start) != 0 {
			t.Errorf("hopeless: %v after %v", err, time.Since(start))
		}
	})
}

// gobreaker's two-step form, aegis: done called twice counted twice and freed
// two slots. The same here is a release that runs again by a second Close.
func TestReleaseTwiceFreedTwoSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", holding))
		hold := func() func() {
			release, err := stanch.Do(t.Context(), d, func(ctx context.Context) (func(), error) { return stanch.Hold(ctx), nil })
			if err != nil {
				t.Fatal(err)
			}
			return release
		}
		first, second := hold(), hold()
		first()
		first()
		held(t, d, 1, 0)
		second()
		held(t, d, 0, 0)
	})
}

// tower-resilience #363: waiters that had slept were admitted without a permit.
// resilience4j #2336, #1460: a waiter stayed beyond its time, and its work was
// done after its caller had timed out.
func TestWaitersRanWithoutAPermitOrACaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", cfg(func(c *stanch.Config) {
			c.Bulkhead = bulkhead.Config{Limit: 2, Queue: 20, MaxWait: 10 * time.Second}
		})))
		s := stanchtest.NewScript(reply{After: time.Second, Deaf: true})
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 2500*ms)
				defer cancel()
				start := time.Now()
				_, err := stanch.Do(ctx, d, s.Call)
				if took := time.Since(start); err != nil && took > 2500*ms {
					t.Errorf("refused after %v", took)
				}
			})
		}
		wg.Wait()
		if s.Calls() != 6 || s.Peak() != 2 {
			t.Errorf("%d calls, %d at once; want 6 and 2: the others' callers had left", s.Calls(), s.Peak())
		}
	})
}

// A classifier that panics, an observer that panics: users' code, but not the
// end of the guard.
func TestUsersCodePanics(t *testing.T) {
	for name, option := range map[string]stanch.Option{
		"classifier": stanch.WithClassifier(func(error) outcome.Verdict { panic("classifier") }),
		"observer": stanch.WithObserver(stanch.ObserverFunc(func(e stanch.Event) {
			if e.Step == stanch.StepAttemptDone {
				panic("observer")
			}
		})),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := stanch.Must(stanch.New("d", oneProbe, option))
				for range 5 {
					call(t.Context(), d, stanchtest.NewScript(reply{Err: errOther}).Call)
					time.Sleep(60 * ms)
				}
				if s := stats(d); s.Probes != 0 || d.Bulkhead().Stats().InFlight != 0 {
					t.Errorf("left behind: %+v, %+v", s, d.Bulkhead().Stats())
				}
			})
		})
	}
}

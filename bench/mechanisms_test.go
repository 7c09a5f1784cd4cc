package bench

import (
	"context"
	"testing"
	"time"

	aegis "github.com/go-kratos/aegis/circuitbreaker/sre"

	"github.com/avast/retry-go/v5"
	"github.com/cenkalti/backoff/v5"
	resilient "github.com/eapache/go-resiliency/breaker"
	"github.com/eapache/go-resiliency/retrier"
	resilientsemaphore "github.com/eapache/go-resiliency/semaphore"
	"github.com/failsafe-go/failsafe-go"
	failsafebulkhead "github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	sethvargo "github.com/sethvargo/go-retry"
	"github.com/sony/gobreaker/v2"
	zero "github.com/zeromicro/go-zero/core/breaker"
	"golang.org/x/sync/semaphore"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
	stanchretry "github.com/stanch-go/stanch/retry"
)

// Breaker is a breaker alone around a call that succeeds or fails. It never
// opens. Stanch reads the clock before and after, as those do that read it
// themselves.
func BenchmarkBreaker(b *testing.B) {
	for _, fault := range []error{nil, errDown} {
		name := "success"
		if fault != nil {
			name = "failure"
		}
		b.Run(name, func(b *testing.B) {
			o := outcome.Success
			if fault != nil {
				o = outcome.Failure
			}
			cfg := stanch.Standard(attemptTimeout).Breaker
			cfg.Consecutive, cfg.ConsecutiveSpan, cfg.MinCalls = 0, 0, never
			own := must(breaker.New(cfg, breaker.Options{}))
			permit := failsafeBreaker[int](never)
			executor := failsafe.With(permit)
			bare := gobreaker.NewCircuitBreaker[int](gobreakerSettings(never))
			steps := gobreaker.NewTwoStepCircuitBreaker[int](gobreakerSettings(never))
			goZero, kratos, eapache := zero.NewBreaker(), aegis.NewBreaker(aegis.WithRequest(never)), resilient.New(never, 1, cooldown)
			all := []contender{
				{"stanch", func() bool {
					began := clock.Real.Now()
					p, ok := own.AllowAt(began)
					now := clock.Real.Now()
					own.DoneAt(now, p, o, time.Duration(now-began))
					return ok
				}},
				{"failsafe/fastest", func() bool {
					ok := permit.TryAcquirePermit()
					permit.RecordError(fault)
					return ok
				}},
				{"failsafe/usual", func() bool { _, err := executor.Get(func() (int, error) { return 1, fault }); return err == fault }},
				{"gobreaker/fastest", func() bool {
					done, err := steps.Allow()
					if err != nil {
						return false
					}
					done(fault)
					return true
				}},
				{"gobreaker/usual", func() bool { _, err := bare.Execute(func() (int, error) { return 1, fault }); return err == fault }},
				{"go-resiliency", func() bool { return eapache.Run(func() error { return fault }) == fault }},
				{"aegis", func() bool {
					if kratos.Allow() != nil {
						return false
					}
					if fault == nil {
						kratos.MarkSuccess()
					} else {
						kratos.MarkFailed()
					}
					return true
				}},
			}
			if fault == nil { // it cannot be kept closed
				all = append(all, contender{"go-zero", func() bool { return goZero.Do(func() error { return nil }) == nil }})
			}
			both(b, all)
		})
	}
}

// Bulkhead takes a place and gives it back.
func BenchmarkBulkhead(b *testing.B) {
	own := must(bulkhead.New(bulkhead.Config{Limit: places}))
	weighted := semaphore.NewWeighted(places)
	policy := failsafebulkhead.New[int](places)
	executor := failsafe.With(policy)
	tickets := resilientsemaphore.New(places, maxWait)
	channel := make(chan struct{}, places)
	ctx := context.Background()
	both(b, []contender{
		{"x/sync/fastest", func() bool { ok := weighted.TryAcquire(1); weighted.Release(1); return ok }},
		{"stanch/fastest", func() bool { ok := own.TryAcquireAt(0); own.ReleaseAt(0); return ok }}, // a call has the instant at hand
		{"stanch/usual", func() bool { ok := own.TryAcquire(); own.Release(); return ok }},
		{"x/sync/usual", func() bool { err := weighted.Acquire(ctx, 1); weighted.Release(1); return err == nil }},
		{"failsafe/fastest", func() bool { ok := policy.TryAcquirePermit(); policy.ReleasePermit(); return ok }},
		{"failsafe/usual", func() bool { v, _ := executor.Get(func() (int, error) { return 1, nil }); return v == 1 }},
		{"go-resiliency", func() bool {
			if tickets.Acquire() != nil { // it waits no longer than maxWait, which a busy machine may take
				return false
			}
			tickets.Release()
			return true
		}},
		{"channel", func() bool {
			select {
			case channel <- struct{}{}:
				<-channel
				return true
			default:
				return false
			}
		}},
	})
}

// Retry is a call that succeeds at once, where it might be tried again.
func BenchmarkRetry(b *testing.B) {
	ctx := caller(b)
	own := stanch.Must(stanch.New("d", stanch.Config{Retry: stanchretry.Config{Attempts: attempts, Base: backoffBase, Cap: backoffCap}}))
	policy := retrypolicy.NewBuilder[int]().WithMaxAttempts(attempts).WithBackoff(backoffBase, backoffCap).WithJitterFactor(0.5).Build()
	within := failsafe.With(policy).WithContext(ctx)
	avast := []retry.Option{retry.Context(ctx), retry.Attempts(attempts), retry.Delay(backoffBase), retry.MaxDelay(backoffCap)}
	avastOnce := retry.NewWithData[int](avast...)
	eapache := retrier.New(retrier.ExponentialBackoff(attempts-1, backoffBase), nil)
	constant := backoff.NewConstantBackOff(backoffBase)
	fn := one
	both(b, []contender{
		{"loop", func() bool {
			var v int
			var err error
			for range attempts {
				if v, err = fn(ctx); err == nil {
					break
				}
			}
			return v == 1
		}},
		{"stanch", func() bool { v, _ := stanch.Do(ctx, own, fn); return v == 1 }},
		{"failsafe", func() bool {
			v, _ := within.GetWithExecution(func(e failsafe.Execution[int]) (int, error) { return fn(e.Context()) })
			return v == 1
		}},
		{"backoff/fastest", func() bool {
			v, _ := backoff.Retry(ctx, func() (int, error) { return fn(ctx) }, backoff.WithBackOff(constant), backoff.WithMaxTries(attempts))
			return v == 1
		}},
		{"backoff/usual", func() bool {
			v, _ := backoff.Retry(ctx, func() (int, error) { return fn(ctx) },
				backoff.WithBackOff(backoff.NewExponentialBackOff()), backoff.WithMaxTries(attempts))
			return v == 1
		}},
		{"avast/fastest", func() bool { v, _ := avastOnce.Do(func() (int, error) { return fn(ctx) }); return v == 1 }},
		{"avast/usual", func() bool {
			v, _ := retry.NewWithData[int](avast...).Do(func() (int, error) { return fn(ctx) })
			return v == 1
		}},
		{"go-retry", func() bool {
			v, _ := sethvargo.DoValue(ctx, sethvargo.WithMaxRetries(attempts-1, sethvargo.NewExponential(backoffBase)), fn)
			return v == 1
		}},
		{"go-resiliency", func() bool {
			v := 0
			err := eapache.RunCtx(ctx, func(ctx context.Context) (err error) { v, err = fn(ctx); return })
			return err == nil && v == 1
		}},
	})
}

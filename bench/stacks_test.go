package bench

import (
	"context"

	"github.com/cenkalti/backoff/v5"
	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/budget"
	"github.com/failsafe-go/failsafe-go/bulkhead"
	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"github.com/failsafe-go/failsafe-go/fallback"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
	"github.com/failsafe-go/failsafe-go/timeout"
	"github.com/sony/gobreaker/v2"
	"golang.org/x/sync/semaphore"
)

// failsafeBreaker has the window, the minimum and the ratio of all.
func failsafeBreaker[R any](least uint) circuitbreaker.CircuitBreaker[R] {
	return circuitbreaker.NewBuilder[R]().
		WithFailureRateThreshold(failureRatio, least, window).
		WithDelay(cooldown).
		Build()
}

// failsafePolicies are the five of failsafe-go, in the order of its
// documentation.
func failsafePolicies(breaker circuitbreaker.CircuitBreaker[int], tries int) []failsafe.Policy[int] {
	return []failsafe.Policy[int]{
		fallback.NewWithResult(2),
		retrypolicy.NewBuilder[int]().
			WithMaxAttempts(tries).
			WithBackoff(backoffBase, backoffCap).
			WithJitterFactor(0.5).
			WithBudget(budget.New()).
			Build(),
		breaker,
		bulkhead.NewBuilder[int](places).WithMaxWaitTime(maxWait).Build(),
		timeout.New[int](attemptTimeout),
	}
}

// gobreakerSettings has the same window in ten buckets.
func gobreakerSettings(least uint32) gobreaker.Settings {
	return gobreaker.Settings{
		Interval: window, BucketPeriod: bucket, Timeout: cooldown, MaxRequests: 3,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.Requests >= least && float64(c.TotalFailures) >= failureRatio*float64(c.Requests)
		},
	}
}

// handMade is the stack as it is written by hand today.
type handMade struct {
	breaker *gobreaker.CircuitBreaker[int]
	places  *semaphore.Weighted
	tries   uint
}

func newHandMade(least uint32, tries uint) *handMade {
	return &handMade{gobreaker.NewCircuitBreaker[int](gobreakerSettings(least)), semaphore.NewWeighted(places), tries}
}

func (h *handMade) call(ctx context.Context, fn func(context.Context) (int, error)) (int, error) {
	waits := backoff.NewExponentialBackOff()
	waits.InitialInterval, waits.MaxInterval = backoffBase, backoffCap
	v, err := backoff.Retry(ctx, func() (int, error) {
		return h.breaker.Execute(func() (int, error) {
			if !h.places.TryAcquire(1) {
				wait, cancel := context.WithTimeout(ctx, maxWait)
				defer cancel()
				if err := h.places.Acquire(wait, 1); err != nil {
					return 0, err
				}
			}
			defer h.places.Release(1)
			ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
			defer cancel()
			return fn(ctx)
		})
	}, backoff.WithBackOff(waits), backoff.WithMaxTries(h.tries), backoff.WithMaxElapsedTime(3*attemptTimeout))
	if err != nil {
		return 2, nil // the fallback
	}
	return v, nil
}

// plainTimeout is the least that a call must have.
func plainTimeout(ctx context.Context, fn func(context.Context) (int, error)) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, attemptTimeout)
	defer cancel()
	return fn(ctx)
}

package bench

import (
	"testing"

	"github.com/failsafe-go/failsafe-go"
	"github.com/sony/gobreaker/v2"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/internal/clock"
)

// Refusal is a call that an open breaker does not let through.
func BenchmarkRefusal(b *testing.B) {
	ctx := caller(b)
	d := opened()
	policy := failsafeBreaker[int](minCalls)
	policy.Open()
	// Without its fallback: the error is what is asked for.
	executor := failsafe.With(failsafePolicies(policy, 1)[1:]...)
	within := executor.WithContext(ctx)
	bare := gobreaker.NewCircuitBreaker[int](gobreakerSettings(minCalls))
	steps := gobreaker.NewTwoStepCircuitBreaker[int](gobreakerSettings(minCalls))
	byHand := newHandMade(minCalls, 1)
	for range 2 * minCalls {
		bare.Execute(func() (int, error) { return 0, errDown })
		byHand.call(ctx, fails)
		if done, err := steps.Allow(); err == nil {
			done(errDown)
		}
	}
	both(b, []contender{
		{"stanch", func() bool { _, err := stanch.Do(ctx, d, one); return err != nil }},
		{"stanch-breaker", func() bool { _, ok := d.Breaker().AllowAt(clock.Real.Now()); return !ok }},
		{"failsafe/fastest", func() bool {
			_, err := within.GetWithExecution(func(e failsafe.Execution[int]) (int, error) { return one(e.Context()) })
			return err != nil
		}},
		{"failsafe/usual", func() bool {
			_, err := executor.WithContext(ctx).GetWithExecution(func(e failsafe.Execution[int]) (int, error) { return one(e.Context()) })
			return err != nil
		}},
		{"failsafe-permit", func() bool { return !policy.TryAcquirePermit() }},
		{"gobreaker/usual", func() bool {
			_, err := bare.Execute(func() (int, error) { return one(ctx) })
			return err != nil
		}},
		{"gobreaker/fastest", func() bool { _, err := steps.Allow(); return err != nil }},
		{"hand-made", func() bool { v, _ := byHand.call(ctx, one); return v == 2 }},
	})
}

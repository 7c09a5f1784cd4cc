package bench

import (
	"context"
	"runtime"
	"strconv"
	"testing"

	"github.com/failsafe-go/failsafe-go"

	"github.com/stanch-go/stanch"
)

// never is more calls than any breaker sees: it stays closed.
const never = 1 << 30

// stacks are the whole protection of one call of fn, whose value is want.
func stacks(b *testing.B, d *stanch.Dependency, tries int, fn func(context.Context) (int, error), want int) []contender {
	ctx := caller(b)
	popular := stanch.Or("popular", func(context.Context) (int, error) { return 2, nil })
	policies := failsafePolicies(failsafeBreaker[int](never), tries)
	executor := failsafe.With(policies...)
	within := executor.WithContext(ctx)
	byHand := newHandMade(never, uint(tries))
	return []contender{
		{"context.WithTimeout", func() bool { v, _ := plainTimeout(ctx, fn); return v == want || want == 2 }},
		{"stanch/fastest", func() bool { a, _ := stanch.Ask(ctx, d, fn, popular); return a.Value == want }},
		{"stanch/usual", func() bool {
			a, _ := stanch.Ask(ctx, d, fn, stanch.Or("popular", func(context.Context) (int, error) { return 2, nil }))
			return a.Value == want
		}},
		{"stanch/no-fallback", func() bool { v, _ := stanch.Do(ctx, d, fn); return v == want || want == 2 }},
		// Built once for one context, which a server cannot do.
		{"failsafe/fastest", func() bool {
			v, _ := within.GetWithExecution(func(e failsafe.Execution[int]) (int, error) { return fn(e.Context()) })
			return v == want
		}},
		{"failsafe/usual", func() bool {
			v, _ := failsafe.With(policies...).WithContext(ctx).GetWithExecution(func(e failsafe.Execution[int]) (int, error) { return fn(e.Context()) })
			return v == want
		}},
		{"hand-made", func() bool { v, _ := byHand.call(ctx, fn); return v == want }},
	}
}

func BenchmarkCall(b *testing.B) {
	b.Run("success", func(b *testing.B) { both(b, stacks(b, everything(), attempts, one, 1)) })
	b.Run("done", func(b *testing.B) { both(b, stacks(b, everything(), attempts, asks, 1)) })
	b.Run("failure", func(b *testing.B) {
		d := with(func(c *stanch.Config) {
			c.Retry.Attempts, c.Breaker.Consecutive, c.Breaker.ConsecutiveSpan, c.Breaker.MinCalls = 1, 0, 0, never
		})
		both(b, stacks(b, d, 1, fails, 2))
	})
}

// Scale is the whole call on more and more cores.
func BenchmarkScale(b *testing.B) {
	ctx := caller(b)
	for n := 1; n <= runtime.NumCPU(); n *= 2 {
		b.Run("cores="+strconv.Itoa(n), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
			d := with(func(c *stanch.Config) { c.Bulkhead.Limit = 1000 })
			parallel(b, "stanch", func() bool { v, _ := stanch.Do(ctx, d, one); return v == 1 })
			parallel(b, "context.WithTimeout", func() bool { v, _ := plainTimeout(ctx, one); return v == 1 })
		})
	}
}

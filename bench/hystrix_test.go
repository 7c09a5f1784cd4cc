package bench

import (
	"context"
	"testing"
	"time"

	"github.com/afex/hystrix-go/hystrix"

	"github.com/stanch-go/stanch"
)

// Hystrix is the whole call by hystrix-go, which has no retry. It stands alone
// because the goroutines that it starts never end.
func BenchmarkHystrix(b *testing.B) {
	hystrix.ConfigureCommand("d", hystrix.CommandConfig{
		Timeout: int(attemptTimeout / time.Millisecond), MaxConcurrentRequests: places,
		RequestVolumeThreshold: minCalls, ErrorPercentThreshold: failureRatio * 100,
	})
	ctx := caller(b)
	d := everything()
	both(b, []contender{
		{"stanch", func() bool { a, _ := stanch.Ask(ctx, d, one); return a.Value == 1 }},
		{"hystrix-go", func() bool {
			v := 0
			err := hystrix.DoC(ctx, "d", func(ctx context.Context) (err error) { v, err = one(ctx); return },
				func(context.Context, error) error { v = 2; return nil })
			return err == nil && v > 0
		}},
	})
}

package bench

import (
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/go-kratos/aegis/ratelimit"
	"github.com/go-kratos/aegis/ratelimit/bbr"
	"github.com/zeromicro/go-zero/core/load"
	"github.com/zeromicro/go-zero/core/logx"

	"github.com/stanch-go/stanch/adaptive"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
)

// go-zero writes between the results otherwise.
func init() { logx.Disable() }

// Adaptive is a permit of a limiter that finds its limit itself.
func BenchmarkAdaptive(b *testing.B) {
	own := must(adaptive.New(adaptive.Config{}))
	permits := adaptivelimiter.NewWithDefaults[int]()
	kratos := bbr.NewLimiter()
	goZero := load.NewAdaptiveShedder()
	both(b, []contender{
		{"stanch", func() bool {
			began := clock.Real.Now()
			p, ok := own.AcquireAt(began)
			now := clock.Real.Now()
			own.DoneAt(now, p, outcome.Success, time.Duration(now-began))
			return ok
		}},
		{"failsafe", func() bool {
			p, ok := permits.TryAcquirePermit()
			if ok {
				p.Record()
			}
			return ok
		}},
		{"aegis", func() bool {
			done, err := kratos.Allow()
			if err == nil {
				done(ratelimit.DoneInfo{})
			}
			return true // it refuses when this machine is busy
		}},
		{"go-zero", func() bool {
			p, err := goZero.Allow()
			if err == nil {
				p.Pass()
			}
			return true
		}},
	})
}

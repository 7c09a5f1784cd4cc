package bench

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/internal/clock"
)

// The settings of all, wherever one has the setting. They are those of
// stanch.Standard(300ms).
const (
	attemptTimeout = 300 * time.Millisecond
	attempts       = 3
	backoffBase    = 50 * time.Millisecond
	backoffCap     = time.Second
	window         = time.Second
	bucket         = window / 10
	minCalls       = 20
	failureRatio   = 0.5
	cooldown       = time.Hour // a breaker that is open stays so
	places         = 10
	maxWait        = 50 * time.Millisecond
)

var errDown = errors.New("down")

func one(context.Context) (int, error)   { return 1, nil }
func fails(context.Context) (int, error) { return 0, errDown }

// asks is a function that asks its context for Done, as network clients do.
func asks(ctx context.Context) (int, error) {
	if ctx.Done() == nil {
		return 0, errDown
	}
	return 1, nil
}

// caller returns what calls usually have: a request's context with a deadline.
func caller(b testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	b.Cleanup(cancel)
	return ctx
}

// everything is a Dependency with all that Stanch has for a call.
func everything() *stanch.Dependency { return with(func(*stanch.Config) {}) }

func with(change func(*stanch.Config)) *stanch.Dependency {
	c := stanch.Standard(attemptTimeout)
	c.Breaker.Cooldown = cooldown
	change(&c)
	return stanch.Must(stanch.New("d", c))
}

// opened is everything with its breaker open, which only probes could close.
func opened() *stanch.Dependency {
	d := with(func(c *stanch.Config) {
		c.Retry.Attempts = 1
		c.Breaker.Trickle = breaker.Trickle{}
		c.Breaker.ConsecutiveSpan = 0
	})
	for range 2 * minCalls {
		stanch.Do(context.Background(), d, fails)
	}
	if d.Breaker().StateAt(clock.Real.Now()).String() != "open" {
		panic("the breaker is not open")
	}
	return d
}

// alone and parallel run op on one goroutine and on one for each core. op says
// whether it came out as the benchmark means it, so that its result is used.
func alone(b *testing.B, who string, op func() bool) {
	b.Run(who, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if !op() {
				b.Fatal("came out otherwise")
			}
		}
	})
}

func parallel(b *testing.B, who string, op func() bool) {
	b.Run(who, func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if !op() {
					b.Error("came out otherwise")
					return
				}
			}
		})
	})
}

// A contender is who does it and what it does.
type contender struct {
	who string
	op  func() bool
}

// both runs all of them, first each alone and then each in parallel.
func both(b *testing.B, all []contender) {
	b.Run("alone", func(b *testing.B) {
		for _, c := range all {
			alone(b, c.who, c.op)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		for _, c := range all {
			parallel(b, c.who, c.op)
		}
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

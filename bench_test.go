package stanch_test

import (
	"context"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/internal/clock"
)

func one(context.Context) (int, error) { return 1, nil }

// caller is what calls usually have: a request's context with a deadline.
func request(b *testing.B) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	b.Cleanup(cancel)
	return ctx
}

// BenchmarkFloor is what a bare timeout costs, with which all others compare.
func BenchmarkFloor(b *testing.B) {
	ctx := request(b)
	b.ReportAllocs()
	for b.Loop() {
		bounded, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		one(bounded)
		cancel()
	}
}

func BenchmarkNothingOn(b *testing.B) {
	bench(b, stanch.Must(stanch.New("d", stanch.Config{})), one)
}

func BenchmarkTimeoutOn(b *testing.B) { bench(b, stanch.Must(stanch.New("d", bounded)), one) }

func BenchmarkEverythingOn(b *testing.B) {
	bench(b, stanch.Must(stanch.New("d", stanch.Standard(300*ms))), one)
}

func BenchmarkEverythingOnObserved(b *testing.B) { bench(b, everything(), one) }

// The function asks for Done, as network clients do.
func BenchmarkEverythingOnWithDone(b *testing.B) {
	bench(b, stanch.Must(stanch.New("d", stanch.Standard(300*ms))), func(ctx context.Context) (int, error) {
		ctx.Done()
		return 1, nil
	})
}

func BenchmarkRefused(b *testing.B) {
	d := stanch.Must(stanch.New("d", stanch.Standard(300*ms)))
	d.Breaker().ForceOpenAt(clock.Real.Now())
	bench(b, d, one)
}

func BenchmarkEverythingOnParallel(b *testing.B) {
	c := stanch.Standard(300 * ms)
	c.Bulkhead.Limit = 1000
	d := stanch.Must(stanch.New("d", c))
	ctx := request(b)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			stanch.Do(ctx, d, one)
		}
	})
}

func bench(b *testing.B, d *stanch.Dependency, fn func(context.Context) (int, error)) {
	ctx := request(b)
	b.ReportAllocs()
	for b.Loop() {
		stanch.Do(ctx, d, fn)
	}
}

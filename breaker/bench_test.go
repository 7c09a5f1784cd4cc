package breaker

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

func forBench(b *testing.B, cfg Config) *Breaker {
	b.Helper()
	br, err := New(cfg, Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	return br
}

func BenchmarkSuccess(b *testing.B) {
	for name, cfg := range map[string]Config{"time": {Window: 10 * time.Second}, "count": {Calls: 100}} {
		b.Run(name, func(b *testing.B) {
			br := forBench(b, cfg)
			now := int64(0)
			for b.Loop() {
				now += 1000
				p, _ := br.AllowAt(now)
				br.DoneAt(now, p, outcome.Success, time.Microsecond)
			}
		})
	}
}

// One failure in ten, so that every result is judged.
func BenchmarkSomeFailures(b *testing.B) {
	br := forBench(b, Config{})
	now := int64(0)
	for b.Loop() {
		now += 1000
		p, _ := br.AllowAt(now)
		o := outcome.Success
		if now%10_000 == 0 {
			o = outcome.Failure
		}
		br.DoneAt(now, p, o, time.Microsecond)
	}
}

func BenchmarkRefusal(b *testing.B) {
	br := forBench(b, Config{Consecutive: 1})
	p, _ := br.AllowAt(0)
	br.DoneAt(0, p, outcome.Failure, 0)
	for b.Loop() {
		if _, ok := br.AllowAt(1); ok {
			b.Fatal("admitted while open")
		}
	}
}

func BenchmarkRamp(b *testing.B) {
	br := forBench(b, Config{Ramp: time.Hour})
	br.ForceOpenAt(0)
	br.AutoAt(0)
	for b.Loop() {
		br.AllowAt(1)
	}
}

func BenchmarkSuccessParallel(b *testing.B) {
	br := forBench(b, Config{})
	b.RunParallel(func(pb *testing.PB) {
		now := int64(0)
		for pb.Next() {
			now += 1000
			p, _ := br.AllowAt(now)
			br.DoneAt(now, p, outcome.Success, time.Microsecond)
		}
	})
}

func BenchmarkRefusalParallel(b *testing.B) {
	br := forBench(b, Config{Consecutive: 1})
	p, _ := br.AllowAt(0)
	br.DoneAt(0, p, outcome.Failure, 0)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			br.AllowAt(1)
		}
	})
}

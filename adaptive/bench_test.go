package adaptive

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

func BenchmarkAcquireDone(b *testing.B) {
	l := must(New(Config{}))
	now := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		now += 1000
		p, _ := l.AcquireAt(now)
		l.DoneAt(now, p, outcome.Success, time.Millisecond)
	}
}

func BenchmarkAcquireDoneParallel(b *testing.B) {
	l := must(New(Config{}))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		now := int64(0)
		for pb.Next() {
			now += 1000
			if p, ok := l.AcquireAt(now); ok {
				l.DoneAt(now, p, outcome.Success, time.Millisecond)
			}
		}
	})
}

func BenchmarkRefuse(b *testing.B) {
	l := must(New(Config{Initial: 1, Max: 1}))
	l.AcquireAt(0)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := l.AcquireAt(0); ok {
			b.Fatal("admitted")
		}
	}
}

func BenchmarkThrottle(b *testing.B) {
	th := must(NewThrottle(ThrottleConfig{}, nil))
	now := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		now += 1000
		if th.AllowAt(now) {
			th.DoneAt(now, outcome.Success)
		}
	}
}

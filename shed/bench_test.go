package shed

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
)

func BenchmarkAdmit(b *testing.B) {
	s := must(New(Config{Limit: 10}, nil, nil))
	now := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		now += 1000
		p, _ := s.TryAcquireAt(now, Request{Level: 5})
		s.DoneAt(now, p, outcome.Success, time.Millisecond)
	}
}

// What a refusal costs, by its reason.
func BenchmarkRefuse(b *testing.B) {
	s := must(New(Config{Limit: 1}, nil, nil))
	s.service.add(time.Second)
	s.TryAcquireAt(0, Request{})
	for _, bb := range []struct {
		name string
		r    Request
		want Reason
	}{
		{"rank", Request{Priority: Sheddable, Level: 5}, Rank},
		{"full", Request{Priority: CriticalPlus, Level: 5}, Full},
		{"deadline", Request{Until: -1}, Deadline},
	} {
		b.Run(bb.name, func(b *testing.B) {
			s.lowest.Store(3 * Levels)
			b.ReportAllocs()
			for b.Loop() {
				if _, d := s.TryAcquireAt(0, bb.r); d.Reason != bb.want {
					b.Fatal(d)
				}
			}
		})
	}
}

func BenchmarkRefuseParallel(b *testing.B) {
	s := must(New(Config{Limit: 1}, nil, nil))
	s.lowest.Store(3 * Levels)
	ctx := b.Context()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			s.Acquire(ctx, clock.Real, 0, Request{Level: 5})
		}
	})
}

func BenchmarkLevelOf(b *testing.B) {
	at := time.Unix(1_800_000_000, 0)
	b.ReportAllocs()
	for b.Loop() {
		LevelOf("a-user-of-some-length@example.com", at)
	}
}

// BenchmarkThreshold is done once an interval.
func BenchmarkThreshold(b *testing.B) {
	var t threshold
	for b.Loop() {
		t.set(interval{length: 1, begun: 40, turned: 10}, func(r int) int { return r & 1 })
	}
}

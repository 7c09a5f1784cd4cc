package bulkhead

import (
	"context"
	"testing"

	"github.com/stanch-go/stanch/internal/clock"
)

func BenchmarkTryAcquire(b *testing.B) {
	bh := must(New(Config{Limit: 10}))
	for b.Loop() {
		if bh.TryAcquireAt(0) {
			bh.ReleaseAt(0)
		}
	}
}

func BenchmarkTryAcquireParallel(b *testing.B) {
	bh := must(New(Config{Limit: 10}))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if bh.TryAcquireAt(0) {
				bh.ReleaseAt(0)
			}
		}
	})
}

func BenchmarkAcquire(b *testing.B) {
	bh := must(New(Config{Limit: 10, Queue: 10, MaxWait: 1}))
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	for b.Loop() {
		if _, err := bh.Acquire(ctx, clock.Real, 0, clock.Never); err == nil {
			bh.ReleaseAt(0)
		}
	}
}

func BenchmarkRefuse(b *testing.B) {
	bh := must(New(Config{Limit: 1, Queue: 0}))
	bh.TryAcquireAt(0)
	ctx := b.Context()
	for b.Loop() {
		if _, err := bh.Acquire(ctx, clock.Real, 0, clock.Never); err != ErrFull {
			b.Fatal(err)
		}
	}
}

func BenchmarkShare(b *testing.B) {
	p := must(NewPool(20))
	bh := must(p.Share("a", Share{Guaranteed: 10}))
	must(p.Share("b", Share{Guaranteed: 10}))
	for b.Loop() {
		if bh.TryAcquireAt(0) {
			bh.ReleaseAt(0)
		}
	}
}

func BenchmarkHandover(b *testing.B) {
	bh := must(New(Config{Limit: 1, Queue: 1, MaxWait: 1}))
	bh.TryAcquireAt(0)
	for b.Loop() {
		w := &waiter{Waiter: nobody{}}
		must(bh.enter(w, 1))
		bh.ReleaseAt(0)
		if err := bh.settle(w, 0, 1, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkChannel(b *testing.B) {
	ch := make(chan struct{}, 10)
	for b.Loop() {
		select {
		case ch <- struct{}{}:
			<-ch
		default:
		}
	}
}

func BenchmarkChannelParallel(b *testing.B) {
	ch := make(chan struct{}, 10)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			select {
			case ch <- struct{}{}:
				<-ch
			default:
			}
		}
	})
}

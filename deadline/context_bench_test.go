package deadline

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

func TestChildrenStartNoGoroutine(t *testing.T) {
	ctx := WithTimeout(t.Context(), time.Hour, errAttempt)
	before := runtime.NumGoroutine()
	var stops []func()
	for range 100 {
		a, cancel := context.WithCancel(ctx)
		b, cancelB := context.WithTimeout(context.WithValue(ctx, key(1), 2), time.Minute)
		stop := context.AfterFunc(b, func() {})
		c := WithTimeout(a, time.Minute, nil)
		c.Done()
		stops = append(stops, c.Cancel, func() { stop() }, cancelB, cancel)
	}
	if n := runtime.NumGoroutine() - before; n > 0 {
		t.Errorf("%d goroutines for 400 descendants", n)
	}
	for _, stop := range stops {
		stop()
	}
	ctx.Cancel()
}

func TestContextAllocations(t *testing.T) {
	parent, cancel := context.WithTimeoutCause(t.Context(), time.Hour, nil)
	defer cancel()
	end := clock.Add(clock.Real.Now(), time.Minute)
	got := testing.AllocsPerRun(100, func() {
		ctx := New(parent, clock.Real, end, errAttempt)
		if _, ok := ctx.Deadline(); !ok || ctx.Err() != nil {
			t.Error("ended early")
		}
		ctx.Cancel()
	})
	if got != 1 {
		t.Errorf("got %v allocations, want 1", got)
	}
}

func BenchmarkContext(b *testing.B) {
	parent, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for _, done := range []bool{false, true} {
		use := func(ctx context.Context) {
			if done {
				ctx.Done()
			}
		}
		suffix := "/without-done"
		if done {
			suffix = "/with-done"
		}
		b.Run("standard"+suffix, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ctx, cancel := context.WithTimeoutCause(parent, time.Minute, errAttempt)
				use(ctx)
				cancel()
			}
		})
		b.Run("ours"+suffix, func(b *testing.B) { // a call has the instant at hand
			b.ReportAllocs()
			end := clock.Add(clock.Real.Now(), time.Minute)
			for b.Loop() {
				ctx := New(parent, clock.Real, end, errAttempt)
				use(ctx)
				ctx.Cancel()
			}
		})
		b.Run("ours-reading-the-clock"+suffix, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ctx := WithTimeout(parent, time.Minute, errAttempt)
				use(ctx)
				ctx.Cancel()
			}
		})
	}
}

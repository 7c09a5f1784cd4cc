package bulkhead

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// failsafe-go 0.9.8: a call that panicked kept its permit, and with every
// panic the bulkhead shrank until nothing passed. Here the permit is the
// caller's to release in a defer, which a panic and a Goexit both run.
func TestPanicShrankTheBulkhead(t *testing.T) {
	b := must(New(Config{Limit: 1}))
	call := func(end func()) {
		defer func() { recover() }()
		if _, err := b.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer b.Release()
		end()
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { call(func() { panic("broken") }) })
		wg.Wait()
		wg.Go(func() { call(runtime.Goexit) })
		wg.Wait()
	}
	if s := b.Stats(); s.InFlight != 0 || s.PeakInFlight != 1 {
		t.Errorf("permits are gone: %+v", s)
	}
}

// countingClock counts what Acquire does to its clock.
type countingClock struct {
	clock.Clock
	waits, waiters atomic.Int64
}

func (c *countingClock) NewWaiter() clock.Waiter {
	c.waiters.Add(1)
	return countedWaiter{c.Clock.NewWaiter(), c}
}

type countedWaiter struct {
	clock.Waiter
	c *countingClock
}

func (w countedWaiter) Wait(ctx context.Context, until int64) clock.Ended {
	w.c.waits.Add(1)
	return w.Waiter.Wait(ctx, until)
}

// go-concurrency-limits #162: the blocking limiter spun while it waited. Here a
// waiter waits once, whatever others acquire and release meanwhile.
func TestWaiterSpun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := must(New(Config{Limit: 1, Queue: 2, MaxWait: time.Minute}))
		b.TryAcquire()
		c := &countingClock{Clock: clock.Real}
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if _, err := b.Acquire(t.Context(), c, c.Now(), clock.Never); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Second)
				b.Release()
			})
		}
		synctest.Wait()
		for range 1000 {
			b.TryAcquire()
		}
		b.Release()
		wg.Wait()
		if c.waits.Load() != 2 || c.waiters.Load() != 2 {
			t.Errorf("two waiters waited %d times, on %d", c.waits.Load(), c.waiters.Load())
		}
	})
}

// go-concurrency-limits #241: a permit handed to a waiter that was just leaving
// was lost, and the next one slept on beside a free permit.
func TestHandOverToALeaverWasLost(t *testing.T) {
	for _, why := range []error{context.Canceled, nil} {
		b := must(New(Config{Limit: 1, Queue: 2, MaxWait: time.Second}))
		b.TryAcquireAt(0)
		leaver, next := enqueue(t, b, 0), enqueue(t, b, 0)
		b.ReleaseAt(10)
		if !leaver.granted {
			t.Fatal("the hand-over did not race")
		}
		if err := b.settle(leaver, 11, 10, why); err == nil {
			t.Fatal("the leaver was admitted")
		}
		if !next.granted {
			t.Errorf("%v: the permit was lost", why)
		}
		b.settle(next, 11, 20, nil)
		b.ReleaseAt(12)
		if s := b.StatsAt(12); s.InFlight != 0 {
			t.Errorf("%v: left behind: %+v", why, s)
		}
	}
}

// go-concurrency-limits #93: a caller whose context ended stayed in the queue
// until a permit came. resilience4j #2336: so did one whose time was up.
func TestWaiterWasNotLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := must(New(Config{Limit: 1, Queue: 2, MaxWait: time.Hour}))
		b.TryAcquire()
		ctx, cancel := context.WithCancel(t.Context())
		canceled := acquire(ctx, b, clock.Never)
		late := acquire(t.Context(), b, clock.Add(clock.Real.Now(), time.Second))
		cancel()
		if got := <-canceled; got != (ended{0, context.Canceled}) {
			t.Errorf("canceled: %v", got)
		}
		if got := <-late; got != (ended{time.Second, ErrQueueTimeout}) {
			t.Errorf("late: %v", got)
		}
		if s := b.Stats(); s.Waiting != 0 {
			t.Errorf("they still hold %d places", s.Waiting)
		}
	})
}

// go-concurrency-limits #204: the queue's length was checked in one step and
// raised in another, so that more waited than the queue has places.
func TestQueueOverflowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := must(New(Config{Limit: 1, Queue: 3, MaxWait: time.Second}))
		b.TryAcquire()
		var full atomic.Int64
		for range 50 {
			go func() {
				if _, err := b.Wait(t.Context()); err == ErrFull {
					full.Add(1)
				}
			}()
		}
		synctest.Wait()
		if s := b.Stats(); s.Waiting != 3 || s.PeakWaiting != 3 || full.Load() != 47 {
			t.Errorf("%d refused, %+v", full.Load(), s)
		}
		time.Sleep(2 * time.Second) // virtual: let them go
	})
}

// slok/goresilience: a worker blocked for ever on handing a result to a caller
// that had left. Here a wake never blocks, whether or not anybody listens.
func TestReleaserBlockedOnALeaver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := must(New(Config{Limit: 1, Queue: 1, MaxWait: time.Second}))
		b.TryAcquire()
		w := &waiter{Waiter: clock.Real.NewWaiter(), since: clock.Real.Now()}
		b.enter(w, clock.Never)
		b.Release() // nobody ever waits on w: a releaser that blocked would be a deadlock here
		if b.settle(w, 0, clock.Never, context.Canceled); b.Stats().InFlight != 0 {
			t.Error("the permit stayed with the leaver")
		}
	})
}

// gobreaker's two-step form and aegis: done called twice freed two slots. A
// count cannot tell whose permit is released, but never frees what is not held.
func TestDoneTwiceFreedTwoSlots(t *testing.T) {
	for name, b := range map[string]*Bulkhead{
		"alone": must(New(Config{Limit: 2})),
		"share": must(must(NewPool(2)).Share("a", Share{Guaranteed: 1})),
	} {
		b.TryAcquireAt(0)
		b.ReleaseAt(0)
		func() {
			defer func() {
				if r := recover(); r != "bulkhead: released more than was acquired" {
					t.Errorf("%s: recovered %v", name, r)
				}
			}()
			b.ReleaseAt(0)
		}()
		if n := fill(b); n != 2 {
			t.Errorf("%s: %d permits of 2", name, n)
		}
	}
}

// sentinel-golang's isolation and Netflix's partitions: concurrent callers all
// passed the check before any of them had counted itself.
func TestCheckBeforeCountExceededTheLimit(t *testing.T) {
	p := must(NewPool(3))
	for name, bs := range map[string][]*Bulkhead{
		"alone": {must(New(Config{Limit: 3}))},
		"pool":  {must(p.Share("a", Share{Guaranteed: 1})), must(p.Share("b", Share{}))},
	} {
		var flying atomic.Int64
		var wg sync.WaitGroup
		for i := range 6 {
			b := bs[i%len(bs)]
			wg.Go(func() {
				for range 20000 {
					if !b.TryAcquireAt(0) {
						runtime.Gosched()
						continue
					}
					if n := flying.Add(1); n > 3 {
						t.Errorf("%s: %d at once", name, n)
					}
					if i == 0 {
						runtime.Gosched()
					}
					flying.Add(-1)
					b.ReleaseAt(0)
				}
			})
		}
		wg.Wait()
	}
}

// tower-resilience #363: waiters that had slept were admitted without a permit.
func TestAdmittedWithoutAPermit(t *testing.T) {
	b := must(New(Config{Limit: 1, Queue: 1, MaxWait: time.Second}))
	b.TryAcquireAt(0)
	w := enqueue(t, b, 0)
	if err := b.settle(w, 10, 100, nil); err != ErrQueueTimeout {
		t.Errorf("woken without a permit: %v", err)
	}
	if s := b.StatsAt(10); s.InFlight != 1 || s.Waiting != 0 {
		t.Errorf("left behind: %+v", s)
	}
}

// resilience4j #1460: queued work ran after its caller had timed out.
func TestRanAfterItsCallerHadGone(t *testing.T) {
	b := must(New(Config{Limit: 1, Queue: 1, MaxWait: time.Second}))
	b.TryAcquireAt(0)
	w := enqueue(t, b, 0)
	b.ReleaseAt(90) // in time, but it gets to run too late
	if err := b.settle(w, 101, 100, nil); err != ErrQueueTimeout {
		t.Errorf("admitted late: %v", err)
	}
	if !b.TryAcquireAt(101) {
		t.Error("its permit was not given back")
	}
}

// sentinel-golang 963192c: the queueing time overflowed.
func TestQueueingTimeOverflowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := must(New(Config{Limit: 1, Queue: 1, MaxWait: math.MaxInt64}))
		b.TryAcquire()
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan ended, 1)
		go func() {
			waited, err := b.Acquire(ctx, clock.Real, math.MaxInt64-1, clock.Never)
			got <- ended{waited, err}
		}()
		synctest.Wait()
		select {
		case e := <-got:
			t.Errorf("a wait until the end of time ended: %v", e)
		default:
		}
		cancel()
		if e := <-got; e.waited < 0 || e.err != context.Canceled {
			t.Errorf("got %v", e)
		}
	})
}

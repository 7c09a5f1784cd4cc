package bulkhead

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// gobreaker's two-step form and aegis, once more: ending a call twice, in any
// two ways, freed two slots. A permit that merely lingers belongs to nobody who
// could release it. After the panic the state is what it was.
func TestEndingTwiceFreedALingeringPermit(t *testing.T) {
	ways := map[string]func(*Bulkhead){
		"release": func(b *Bulkhead) { b.ReleaseAt(0) },
		"abandon": func(b *Bulkhead) { b.AbandonAt(0) },
	}
	for again, end := range ways {
		for kind, b := range both(2, Config{Queue: 1, MaxWait: time.Second, Linger: linger}) {
			t.Run("abandon and "+again+", "+kind, func(t *testing.T) {
				b.TryAcquireAt(0)
				b.AbandonAt(0)
				before := b.StatsAt(0)
				func() {
					defer func() {
						if r := recover(); r != released {
							t.Errorf("recovered %v", r)
						}
					}()
					end(b)
				}()
				if got := b.StatsAt(0); got != before {
					t.Errorf("the state is %+v, was %+v", got, before)
				}
				if !b.TryAcquireAt(0) || b.TryAcquireAt(0) {
					t.Error("not one permit is free beside the one that lingers")
				}
				w := enqueue(t, b, 0)
				b.AliveAt(0)
				if !w.granted {
					t.Error("the waiter did not get what lingered")
				}
				b.ReleaseAt(0)
				b.ReleaseAt(0)
				if got := b.StatsAt(0); got.InFlight != 0 || got.Waiting != 0 {
					t.Errorf("left behind: %+v", got)
				}
			})
		}
	}
}

// go-concurrency-limits #162, once more: a waiter looks for what lapses, but
// does not spin, not even where nothing lingers for longer than a moment.
func TestWaiterForALapseSpun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			linger time.Duration
			most   int64
		}{{1, 100}, {10 * time.Millisecond, 10}, {time.Second, 1}} {
			b := must(New(Config{Limit: 1, Queue: 1, MaxWait: 100 * time.Millisecond, Linger: tt.linger}))
			b.TryAcquire()
			c := &countingClock{Clock: clock.Real}
			var wg sync.WaitGroup
			wg.Go(func() {
				if _, err := b.Acquire(t.Context(), c, c.Now(), clock.Never); err != ErrQueueTimeout {
					t.Error(err)
				}
			})
			wg.Wait()
			if n := c.waits.Load(); n > tt.most {
				t.Errorf("lingering for %v: %d waits in 100 ms", tt.linger, n)
			}
		}
	})
}

// resilience4j #1460, once more: a waiter that was woken too late for its caller
// must hand on what it got from a lapse.
func TestLapseForALeaverWasLost(t *testing.T) {
	for kind, b := range both(1, Config{Queue: 2, MaxWait: time.Second, Linger: linger}) {
		b.TryAcquireAt(0)
		b.AbandonAt(0)
		leaver, next := enqueue(t, b, 0), enqueue(t, b, 0)
		b.lapsed(int64(linger))
		if !leaver.granted || next.granted {
			t.Fatalf("%s: the first waiter did not get the permit", kind)
		}
		if err := b.settle(leaver, int64(linger)+1, int64(linger), nil); err != ErrQueueTimeout {
			t.Errorf("%s: admitted late: %v", kind, err)
		}
		if !next.granted {
			t.Errorf("%s: the permit was lost", kind)
		}
	}
}

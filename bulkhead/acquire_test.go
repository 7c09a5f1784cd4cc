package bulkhead

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

type ended struct {
	waited time.Duration
	err    error
}

// acquire calls Acquire on its own goroutine and returns once it waits.
func acquire(ctx context.Context, b *Bulkhead, until int64) <-chan ended {
	result := make(chan ended, 1)
	go func() {
		waited, err := b.Acquire(ctx, clock.Real, clock.Real.Now(), until)
		result <- ended{waited, err}
	}()
	synctest.Wait()
	return result
}

func TestAcquireWaits(t *testing.T) {
	const second = time.Second
	for _, tt := range []struct {
		name    string
		release time.Duration // when the one permit is released
		cancel  time.Duration // when the waiter's context ends
		until   time.Duration // the waiter's own limit
		want    ended
	}{
		{"for the permit", second, 0, 0, ended{second, nil}},
		{"until MaxWait", 9 * second, 0, 0, ended{3 * second, ErrQueueTimeout}},
		{"until its own limit", 9 * second, 0, 2 * second, ended{2 * second, ErrQueueTimeout}},
		{"no longer than MaxWait though it may", 9 * second, 0, 8 * second, ended{3 * second, ErrQueueTimeout}},
		{"until its context ends", 9 * second, second, 0, ended{second, context.Canceled}},
		{"not at all without time", 9 * second, 0, -second, ended{0, ErrQueueTimeout}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := must(New(Config{Limit: 1, Queue: 1, MaxWait: 3 * second}))
				b.TryAcquire()
				time.AfterFunc(tt.release, b.Release)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				until := int64(clock.Never)
				if tt.until != 0 {
					until = clock.Real.Now() + int64(tt.until)
				}
				if got := <-acquire(ctx, b, until); got != tt.want {
					t.Errorf("got %v, want %v", got, tt.want)
				}
				time.Sleep(10 * second) // virtual: past the release
				want := 0
				if tt.want.err == nil {
					want = 1
				}
				if s := b.Stats(); s.InFlight != want || s.Waiting != 0 {
					t.Errorf("left behind: %+v", s)
				}
			})
		})
	}
}

func TestAcquireRefusesAtOnce(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name string
		ctx  context.Context
		cfg  Config
		hold bool
		want error
	}{
		{"no queue", t.Context(), Config{Limit: 1}, true, ErrFull},
		{"a permit", t.Context(), Config{Limit: 1}, false, nil},
		{"an ended context, though a permit is free", gone, Config{Limit: 1}, false, context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := must(New(tt.cfg))
			if tt.hold {
				b.TryAcquire()
			}
			if waited, err := b.Wait(tt.ctx); waited != 0 || err != tt.want {
				t.Errorf("waited %v, %v, want %v", waited, err, tt.want)
			}
		})
	}
}

// Many callers that come, wait, give up and work for random times, alone and
// in a pool: never more than allowed at once, and in the end nothing is left.
func TestStressInVirtualTime(t *testing.T) {
	pool := must(NewPool(5))
	queue := Share{Queue: 8, MaxWait: 20 * time.Millisecond}
	strict, lender, borrower := queue, queue, queue
	strict.Guaranteed, strict.Order = 2, LIFO
	lender.Guaranteed, lender.Lend, lender.Order = 2, true, Adaptive
	borrower.Max = 2
	for _, tt := range []struct {
		name string
		size int64
		bs   []*Bulkhead
	}{
		{"alone", 3, []*Bulkhead{must(New(Config{Limit: 3, Queue: 8, MaxWait: 20 * time.Millisecond}))}},
		{"pool", 5, []*Bulkhead{must(pool.Share("strict", strict)), must(pool.Share("lender", lender)), must(pool.Share("borrower", borrower))}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var flying, admitted atomic.Int64
				var wg sync.WaitGroup
				for i := range 24 {
					wg.Go(func() {
						r := rand.New(rand.NewPCG(1, uint64(i)))
						for range 100 {
							b := tt.bs[r.IntN(len(tt.bs))]
							ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(15))*time.Millisecond)
							if _, err := b.Wait(ctx); err == nil {
								if n := flying.Add(1); n > tt.size {
									t.Errorf("%d at once, want at most %d", n, tt.size)
								}
								admitted.Add(1)
								time.Sleep(time.Duration(r.IntN(5)) * time.Millisecond)
								flying.Add(-1)
								b.Release()
							}
							cancel()
						}
					})
				}
				wg.Wait()
				queued, canceled := uint64(0), uint64(0)
				for _, b := range tt.bs {
					s := b.Stats()
					queued, canceled = queued+s.Queued, canceled+s.Canceled
					if s.InFlight != 0 || s.Waiting != 0 || s.PeakInFlight > int(b.limit) {
						t.Errorf("left behind: %+v", s)
					}
				}
				if admitted.Load() == 0 || queued == 0 || canceled == 0 {
					t.Errorf("the stress is none: %d admitted, %d after a wait, %d left", admitted.Load(), queued, canceled)
				}
			})
		})
	}
}

// The same in real time and without pauses, for the race detector and the
// races of the fast path with the queue.
func TestStressInRealTime(t *testing.T) {
	pool := must(NewPool(2))
	for name, b := range map[string]*Bulkhead{
		"alone": must(New(Config{Limit: 2, Queue: 4, MaxWait: time.Minute})),
		"share": must(pool.Share("a", Share{Guaranteed: 1, Queue: 4, MaxWait: time.Minute})),
	} {
		t.Run(name, func(t *testing.T) {
			var flying atomic.Int64
			var wg sync.WaitGroup
			for i := range 6 {
				wg.Go(func() {
					for n := range 2000 {
						ctx, cancel := context.WithCancel(t.Context())
						if (n+i)%3 == 0 {
							go cancel() // races with the hand-over
						}
						if _, err := b.Wait(ctx); err == nil {
							if n := flying.Add(1); n > 2 {
								t.Errorf("%d at once", n)
							}
							runtime.Gosched()
							flying.Add(-1)
							b.Release()
						}
						cancel()
					}
				})
			}
			wg.Wait() // a lost wake-up would hold this up for a minute
			if s := b.Stats(); s.InFlight != 0 || s.Waiting != 0 || s.TimedOut != 0 {
				t.Errorf("left behind: %+v", s)
			}
		})
	}
}

// Three callers that do nothing but pass one permit to and fro, as fast as they
// can: a step of the word that is not atomic shows here, in most runs.
func TestHammer(t *testing.T) {
	const duration = 300 * time.Millisecond
	alone := func(room int) *Bulkhead {
		return must(New(Config{Limit: 1, Queue: room, MaxWait: 2 * time.Second}))
	}
	for _, tt := range []struct {
		name string
		b    *Bulkhead
	}{
		{"alone, refusing", alone(0)},
		{"alone, queueing", alone(2)},
		{"share", must(must(NewPool(1)).Share("a", Share{Queue: 2, MaxWait: 2 * time.Second}))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inside := 0 // guarded by the permit, as the race detector sees too
			var wg sync.WaitGroup
			start := time.Now()
			for range 3 {
				wg.Go(func() {
					for n := 0; n%1024 > 0 || time.Since(start) < duration; n++ {
						if _, err := tt.b.Wait(context.Background()); err == ErrQueueTimeout {
							t.Error("a wake-up was lost")
							return
						} else if err == nil {
							if inside++; inside != 1 {
								t.Error("two at once")
							}
							inside--
							tt.b.Release()
						}
					}
				})
			}
			wg.Wait()
			if s := tt.b.Stats(); s.InFlight != 0 || s.Waiting != 0 {
				t.Errorf("left behind: %+v", s)
			}
		})
	}
}

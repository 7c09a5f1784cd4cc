package bulkhead

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

const linger = 100 * time.Millisecond

// both returns a bulkhead of n permits that stands alone, and one that is the
// share of a pool.
func both(n int, cfg Config) map[string]*Bulkhead {
	cfg.Limit = n
	share := Share{Guaranteed: n, Queue: cfg.Queue, MaxWait: cfg.MaxWait, Linger: cfg.Linger}
	return map[string]*Bulkhead{"alone": must(New(cfg)), "share": must(must(NewPool(n)).Share("a", share))}
}

// The numbers are instants in milliseconds. Each row is played step by step on
// two permits that linger for 100 ms.
func TestLinger(t *testing.T) {
	type step struct {
		at              int64
		do              string
		flying, lingers int
	}
	for name, steps := range map[string][]step{
		"stays in flight until its instant": {
			{0, "take", 1, 0}, {0, "abandon", 1, 1}, {50, "take", 2, 1}, {50, "refused", 2, 1}, {99, "refused", 2, 1}, {100, "take", 2, 0},
		},
		"is given back without being asked for": {
			{0, "take", 1, 0}, {0, "abandon", 1, 1}, {99, "look", 1, 1}, {100, "look", 0, 0},
		},
		"each for its own time": {
			{0, "take", 1, 0}, {0, "take", 2, 0}, {0, "abandon", 2, 1}, {30, "abandon", 2, 2}, {100, "look", 1, 1}, {129, "look", 1, 1}, {130, "look", 0, 0},
		},
		"an answer ends all": {
			{0, "take", 1, 0}, {0, "take", 2, 0}, {0, "abandon", 2, 1}, {10, "abandon", 2, 2}, {20, "alive", 0, 0}, {20, "take", 1, 0}, {20, "take", 2, 0}, {20, "refused", 2, 0},
		},
		"an answer ends nothing else": {
			{0, "take", 1, 0}, {0, "take", 2, 0}, {0, "alive", 2, 0}, {0, "abandon", 2, 1}, {0, "alive", 1, 0}, {0, "release", 0, 0},
		},
		"a clock that steps back": {
			{5000, "take", 1, 0}, {5000, "abandon", 1, 1}, {0, "look", 1, 1}, {0, "take", 2, 1}, {0, "abandon", 2, 2}, {99, "look", 2, 2}, {100, "look", 0, 0},
		},
		"an instant at the end of time": {
			{math.MaxInt64 / ms, "take", 1, 0}, {math.MaxInt64 / ms, "abandon", 1, 1}, {math.MaxInt64 / ms, "look", 1, 1}, {math.MaxInt64 / ms, "alive", 0, 0},
		},
	} {
		for kind, b := range both(2, Config{Linger: linger}) {
			t.Run(name+", "+kind, func(t *testing.T) {
				for i, s := range steps {
					now := s.at * ms
					switch s.do {
					case "take", "refused":
						if got := b.TryAcquireAt(now); got != (s.do == "take") {
							t.Fatalf("step %d at %d: took %v", i, s.at, got)
						}
					case "release":
						b.ReleaseAt(now)
					case "abandon":
						b.AbandonAt(now)
					case "alive":
						b.AliveAt(now)
					}
					if got := b.StatsAt(now); got.InFlight != s.flying || got.Lingering != s.lingers {
						t.Fatalf("step %d at %d: %d in flight, %d linger; want %d, %d", i, s.at, got.InFlight, got.Lingering, s.flying, s.lingers)
					}
				}
			})
		}
	}
}

func TestAbandonWithoutLingerReleases(t *testing.T) {
	for name, b := range both(1, Config{}) {
		b.TryAcquireAt(0)
		b.AbandonAt(0)
		if s := b.StatsAt(0); s.InFlight != 0 || s.Lingering != 0 {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// A waiter gets the permit at the very instant at which it has lingered enough,
// whether it was abandoned before the wait began or during it, or at the answer
// that ends the lingering.
func TestWaiterGetsWhatLapses(t *testing.T) {
	for _, tt := range []struct {
		name    string
		abandon time.Duration
		alive   time.Duration // 0: never
		want    time.Duration
	}{
		{"abandoned before", 0, 0, 100 * time.Millisecond},
		{"abandoned meanwhile", 33 * time.Millisecond, 0, 133 * time.Millisecond},
		{"abandoned late", 333 * time.Millisecond, 0, 433 * time.Millisecond},
		{"alive", 0, 70 * time.Millisecond, 70 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for kind, b := range both(1, Config{Queue: 1, MaxWait: time.Second, Linger: linger}) {
					b.TryAcquire()
					if tt.abandon == 0 {
						b.AbandonAt(clock.Real.Now())
					} else {
						time.AfterFunc(tt.abandon, func() { b.AbandonAt(clock.Real.Now()) })
					}
					if tt.alive > 0 {
						time.AfterFunc(tt.alive, func() { b.AliveAt(clock.Real.Now()) })
					}
					if got := <-acquire(t.Context(), b, clock.Never); got != (ended{tt.want, nil}) {
						t.Errorf("%s: got %v, want a permit after %v", kind, got, tt.want)
					}
					b.Release()
				}
			})
		})
	}
}

// What lapses in one share may be what another one waits for.
func TestLapseServesOtherShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := must(NewPool(1))
		other := must(pool.Share("other", Share{Queue: 1, MaxWait: time.Second}))
		slow := must(pool.Share("slow", Share{Linger: linger}))
		slow.TryAcquire()
		slow.AbandonAt(clock.Real.Now())
		if other.TryAcquire() {
			t.Error("the slot was free")
		}
		if got := <-acquire(t.Context(), other, clock.Never); got != (ended{linger, nil}) {
			t.Errorf("got %v", got)
		}
		other.Release()
		slow.TryAcquire()
		slow.AbandonAt(clock.Real.Now())
		time.Sleep(linger) // virtual
		if !other.TryAcquire() {
			t.Error("the slot still lingers")
		}
	})
}

// A wait in which nothing can come free is refused at once, and only such a one.
func TestHopelessWait(t *testing.T) {
	for _, tt := range []struct {
		name    string
		abandon int
		until   time.Duration
		want    ended
	}{
		{"all linger for longer", 2, 99 * time.Millisecond, ended{0, ErrFull}},
		{"one lapses in time", 2, 101 * time.Millisecond, ended{100 * time.Millisecond, nil}},
		{"a call is running", 1, 99 * time.Millisecond, ended{99 * time.Millisecond, ErrQueueTimeout}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for kind, b := range both(2, Config{Queue: 2, MaxWait: time.Second, Linger: linger}) {
					now := clock.Real.Now()
					b.TryAcquireAt(now)
					b.TryAcquireAt(now)
					for range tt.abandon {
						b.AbandonAt(now)
					}
					if got := <-acquire(t.Context(), b, now+int64(tt.until)); got != tt.want {
						t.Errorf("%s: got %v, want %v", kind, got, tt.want)
					}
					if s := b.StatsAt(now); tt.want.err == ErrFull && s.Full != 1 {
						t.Errorf("%s: %+v", kind, s)
					}
				}
			})
		})
	}
}

// Many callers that abandon, answer, wait and leave, in virtual time: what is in
// the dependency's hands is bounded too, and nothing is left in the end.
func TestLingerStressInVirtualTime(t *testing.T) {
	for kind, b := range both(3, Config{Queue: 4, MaxWait: 30 * time.Millisecond, Linger: 20 * time.Millisecond}) {
		t.Run(kind, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var inHand atomic.Int64 // of the dependency, while it does not answer
				var queued, abandonedCalls atomic.Int64
				var wg sync.WaitGroup
				for i := range 12 {
					wg.Go(func() {
						r := rand.New(rand.NewPCG(3, uint64(i)))
						for range 60 {
							ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(40))*time.Millisecond)
							waited, err := b.Wait(ctx)
							cancel()
							if err != nil {
								time.Sleep(time.Duration(r.IntN(9)) * time.Millisecond)
								continue
							}
							if waited > 0 {
								queued.Add(1)
							}
							if n := inHand.Add(1); n > 3 {
								t.Errorf("%d in the dependency's hands", n)
							}
							time.Sleep(time.Duration(1+r.IntN(5)) * time.Millisecond)
							if r.IntN(2) == 0 {
								abandonedCalls.Add(1)
								b.AbandonAt(clock.Real.Now())
								time.AfterFunc(20*time.Millisecond-1, func() { inHand.Add(-1) })
							} else {
								inHand.Add(-1)
								b.Release()
							}
						}
					})
				}
				wg.Wait()
				time.Sleep(time.Second) // virtual
				if s := b.Stats(); s.InFlight != 0 || s.Waiting != 0 || s.Lingering != 0 || s.PeakInFlight > 3 {
					t.Errorf("left behind: %+v", s)
				}
				if queued.Load() == 0 || abandonedCalls.Load() == 0 {
					t.Errorf("the stress is none: %d waited, %d abandoned", queued.Load(), abandonedCalls.Load())
				}
			})
		})
	}
}

// The same in real time and without pauses, for the race detector.
func TestLingerStressInRealTime(t *testing.T) {
	for kind, b := range both(3, Config{Queue: 4, MaxWait: time.Second, Linger: 50 * time.Microsecond}) {
		t.Run(kind, func(t *testing.T) {
			var using atomic.Int64
			var wg sync.WaitGroup
			for i := range 6 {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(4, uint64(i)))
					for n := range 2000 {
						_, err := b.Wait(t.Context())
						if errors.Is(err, ErrFull) {
							runtime.Gosched()
							continue
						}
						if err != nil {
							t.Error(err)
							return
						}
						if n := using.Add(1); n > 3 {
							t.Errorf("%d at once", n)
						}
						using.Add(-1)
						switch now := clock.Real.Now(); {
						case n%3 == 0:
							b.AbandonAt(now)
						case r.IntN(8) == 0:
							b.ReleaseAt(now)
							b.AliveAt(now)
						default:
							b.ReleaseAt(now)
						}
						if n%64 == 0 {
							b.Stats()
						}
					}
				})
			}
			wg.Wait()
			b.AliveAt(clock.Real.Now())
			if s := b.Stats(); s.InFlight != 0 || s.Waiting != 0 || s.Lingering != 0 {
				t.Errorf("left behind: %+v", s)
			}
		})
	}
}

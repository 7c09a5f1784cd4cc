package quota

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A slowStore is a store whose answers take a while; without an answer it waits
// for the context.
type slowStore struct {
	*Memory
	takes  time.Duration
	each   time.Duration // and so long for every take
	gone   atomic.Bool
	trips  atomic.Int32
	batch  atomic.Int32 // most takes in one trip
	panics atomic.Bool
}

func (s *slowStore) Take(ctx context.Context, takes []Take, grants []Grant) error {
	s.trips.Add(1)
	s.batch.Store(max(s.batch.Load(), int32(len(takes))))
	if s.panics.Load() {
		panic("the store is broken")
	}
	if s.gone.Load() {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(s.takes + time.Duration(len(takes))*s.each):
	}
	return s.Memory.Take(ctx, takes, grants)
}

func leased(cfg Config, s *slowStore) *Leased {
	s.Memory = NewMemory(0)
	cfg.Mode = ModeLeased
	return must(NewLeased(cfg, s, Options{}))
}

// everybody calls Allow n times at once, and returns how many were admitted and
// the longest wait.
func everybody(q Quota, n int) (admitted int, longest time.Duration) {
	var mu sync.Mutex
	var running sync.WaitGroup
	for range n {
		running.Go(func() {
			begun := time.Now()
			d := q.Allow(context.Background(), "k", 1)
			mu.Lock()
			defer mu.Unlock()
			longest = max(longest, time.Since(begun))
			if d.OK {
				admitted++
			}
		})
	}
	running.Wait()
	return admitted, longest
}

func TestOneAsksForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{takes: 5 * time.Millisecond}
		q := leased(Config{Rate: 1000}, s)
		if n, longest := everybody(q, 50); n != 50 || longest > 50*time.Millisecond {
			t.Errorf("%d of 50 admitted, after at most %v", n, longest)
		}
		if n := s.trips.Load(); n > 4 {
			t.Errorf("%d round trips for 50 at once", n)
		}
	})
}

func TestWhoIsRefusedWasNotAdmittedByAnotherName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{takes: time.Millisecond}
		q := leased(Config{Rate: 1e-6, Burst: 20}, s)
		if n, longest := everybody(q, 100); n > 20 || n < 15 || longest > 50*time.Millisecond {
			t.Errorf("%d of 100 admitted after at most %v, the quota is 20", n, longest)
		}
		time.Sleep(3 * time.Second)
		d := q.Allow(t.Context(), "k", 5)
		for range 100 { // what is left comes in halves
			time.Sleep(3 * time.Second)
			d = q.Allow(t.Context(), "k", 1)
		}
		if d.OK || d.Err != nil || d.RetryAfter <= 0 {
			t.Errorf("when all is spent: %+v", d)
		}
		trips := s.trips.Load()
		everybody(q, 100)
		if n := s.trips.Load() - trips; n > 1 {
			t.Errorf("%d round trips for what there is not", n)
		}
	})
}

func TestTheStoreHangs(t *testing.T) {
	for _, tt := range []struct {
		on        OnFailure
		instances int
		want      int // of 40
	}{{FailOpen, 0, 40}, {FailClosed, 0, 0}, {FailLocal, 10, 10}} {
		t.Run(string(tt.on), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &slowStore{}
				s.gone.Store(true)
				q := leased(Config{Rate: 100, OnFailure: tt.on, Instances: tt.instances}, s)
				n, longest := everybody(q, 20)
				if longest != 50*time.Millisecond {
					t.Errorf("the first waited %v, want the timeout", longest)
				}
				m, longest := everybody(q, 20) // it is known by now
				if n+m != tt.want || longest != 0 {
					t.Errorf("%d of 40 admitted, want %d; the later ones waited %v", n+m, tt.want, longest)
				}
				d := q.Allow(t.Context(), "k", 1)
				if !errors.Is(d.Err, ErrStore) || !errors.Is(d.Err, ErrTimeout) {
					t.Errorf("%v does not tell why", d.Err)
				}
				if !d.OK && (d.RetryAfter <= 0 || d.RetryAfter > time.Second) {
					t.Errorf("refused until %v", d.RetryAfter)
				}
				if d := q.Allow(t.Context(), "k", 50); d.RetryAfter > time.Second {
					t.Errorf("%+v: what is above the share of one may be admitted when the store is back", d)
				}
				s.gone.Store(false)
				time.Sleep(time.Second)
				if d := q.Allow(t.Context(), "k", 1); !d.OK || d.Err != nil {
					t.Errorf("the store is back: %+v", d)
				}
			})
		})
	}
}

func TestACallerWhoLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{takes: 20 * time.Millisecond}
		q := leased(Config{Rate: 100, OnFailure: FailClosed}, s)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		defer cancel()
		var first, second Decision
		var running sync.WaitGroup
		running.Go(func() { first = q.Allow(ctx, "k", 1) })
		synctest.Wait()
		running.Go(func() { second = q.Allow(t.Context(), "k", 1) }) // waits for the ask of the first
		running.Wait()
		if first.OK || !errors.Is(first.Err, context.DeadlineExceeded) || errors.Is(first.Err, ErrStore) {
			t.Errorf("the one who left: %+v", first)
		}
		if !second.OK || second.Err != nil {
			t.Errorf("the one who stayed: %+v", second)
		}
		if d := q.Allow(ctx, "k", 1); !d.OK {
			t.Errorf("what is there is admitted: %+v", d)
		}
		if d := q.Allow(ctx, "other", 1); d.OK || d.Err == nil {
			t.Errorf("nobody asks for who has left: %+v", d)
		}
		if n := s.trips.Load(); n != 2 {
			t.Errorf("%d round trips", n)
		}
	})
}

func TestRunRefillsAndReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{takes: 5 * time.Millisecond}
		q := leased(Config{Rate: 1000}, s)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- q.Run(ctx) }()
		waited := 0
		for i := range 1000 {
			begun := time.Now()
			for _, k := range []string{"a", "b", "c"} {
				if d := q.Allow(t.Context(), k, 1); !d.OK {
					t.Fatalf("request %d: %+v", i, d)
				}
			}
			if time.Since(begun) > 0 {
				waited++
			}
			time.Sleep(5*time.Millisecond - time.Since(begun)%(5*time.Millisecond))
		}
		if waited > 10 {
			t.Errorf("%d of 1000 requests waited for the store", waited)
		}
		if n := s.trips.Load(); n > 60 {
			t.Errorf("%d round trips in 5 s for three keys", n)
		}
		if s.batch.Load() < 2 {
			t.Error("the keys were never asked for together")
		}
		if q.Stats().Held == 0 {
			t.Error("nothing is held, so the next says nothing")
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if n := q.Stats().Held; n != 0 {
			t.Errorf("%v held after the end", n)
		}
	})
}

func TestReturnTellsItsFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{}
		q := leased(Config{Rate: 1000}, s)
		q.Allow(t.Context(), "k", 1)
		s.gone.Store(true)
		if err := q.Return(t.Context()); !errors.Is(err, ErrStore) {
			t.Errorf("%v", err)
		}
		s.gone.Store(false)
		if err := q.Return(t.Context()); err != nil { // the same again
			t.Error(err)
		}
		if g := s.TakeAt(0, Take{Key: "k", Limit: q.set.Load().limit}); g.Remaining < 999-1e-6 {
			t.Errorf("%+v: given back is not there", g)
		}
	})
}

func TestCentralWaitsAndFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{Memory: NewMemory(0), takes: 5 * time.Millisecond}
		q := must(NewCentral(Config{Mode: ModeCentral, Rate: 100, OnFailure: FailLocal, Instances: 10}, s))
		begun := time.Now()
		if d := q.Allow(t.Context(), "k", 60); !d.OK || time.Since(begun) != 5*time.Millisecond {
			t.Errorf("%+v after %v", d, time.Since(begun))
		}
		if d := q.Allow(t.Context(), "k", 60); d.OK || d.RetryAfter < 100*time.Millisecond || d.Remaining > 41 {
			t.Errorf("%+v", d)
		}
		if d := q.Allow(t.Context(), "k", 101); d.OK || d.RetryAfter != Never {
			t.Errorf("%+v", d)
		}
		for range 2 {
			if d := q.AllowOnce(t.Context(), "id", "other", 60); !d.OK {
				t.Errorf("asked again: %+v", d)
			}
		}
		s.gone.Store(true)
		if n, longest := everybody(q, 30); n != 10 || longest != 50*time.Millisecond {
			t.Errorf("%d of 30 admitted after %v, want the share of 10", n, longest)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if d := q.Allow(ctx, "k", 1); d.OK || !errors.Is(d.Err, context.Canceled) {
			t.Errorf("%+v", d)
		}
		if st := q.Stats(); st.Asked != 34 || st.Failed != 30 {
			t.Errorf("%+v", st)
		}
	})
}

func TestMoreKeysThanPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &slowStore{takes: time.Millisecond}
		q := leased(Config{Rate: 3, Burst: 3, Keys: 1}, s)
		for i := range 100 {
			k := string(rune('a'+i%26)) + string(rune('a'+i/26))
			for n := range 5 {
				if d := q.Allow(t.Context(), k, 1); d.OK != (n < 3) && !(n >= 1 && d.RetryAfter > 0) {
					t.Fatalf("key %s, request %d: %+v", k, n, d)
				}
			}
		}
		if n := q.Stats().Keys; n > leaseShards {
			t.Errorf("%d keys in %d places", n, leaseShards)
		}
		time.Sleep(time.Minute)
		q.Allow(t.Context(), "new", 1)
		if n := q.Stats().Keys; n > leaseShards {
			t.Errorf("%d keys", n)
		}
	})
}

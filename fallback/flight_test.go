package fallback

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slow returns a loader that takes d, obeys its context and counts its calls.
func slow(calls *atomic.Int64, d time.Duration, v string, err error) Loader[string] {
	return func(ctx context.Context) (string, error) {
		calls.Add(1)
		select {
		case <-time.After(d):
			return v, err
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

func TestRefreshLoadsOnce(t *testing.T) {
	for name, result := range map[string]error{"value": nil, "error": errDown} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t, StoreConfig{})
				s.Put("k", "old")
				var calls atomic.Int64
				var wg sync.WaitGroup
				for range 50 {
					wg.Go(func() {
						v, err := s.Refresh(t.Context(), "k", slow(&calls, time.Second, "new", result))
						if v != "new" || err != result {
							t.Errorf("Refresh = %q, %v", v, err)
						}
					})
				}
				wg.Wait()
				if calls.Load() != 1 {
					t.Errorf("%d loads, want 1", calls.Load())
				}
				want, wantAge := "new", time.Second // as of the begin of the load
				if result != nil {
					want = "old"
				}
				if v, age, _ := s.Lookup("k"); v != want || age != wantAge {
					t.Errorf("stored %q aged %v, want %q aged %v", v, age, want, wantAge)
				}
				if s.Refresh(t.Context(), "k", slow(&calls, 0, "newer", nil)); calls.Load() != 2 {
					t.Error("the next refresh did not load")
				}
				if len(s.flights) != 0 {
					t.Errorf("%d flights left", len(s.flights))
				}
			})
		})
	}
}

func TestRefreshOfOtherKeysDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, StoreConfig{})
		var calls atomic.Int64
		go s.Refresh(t.Context(), "slow", slow(&calls, time.Second, "v", nil))
		synctest.Wait()
		start := time.Now()
		if _, err := s.Refresh(t.Context(), "quick", slow(&calls, 0, "v", nil)); err != nil || time.Since(start) != 0 {
			t.Errorf("another key waited %v, %v", time.Since(start), err)
		}
	})
}

func TestRefreshFollowerLeavesWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, StoreConfig{})
		var calls atomic.Int64
		var wg sync.WaitGroup
		wg.Go(func() {
			if v, err := s.Refresh(t.Context(), "k", slow(&calls, time.Second, "v", nil)); v != "v" || err != nil {
				t.Errorf("the leader got %q, %v", v, err)
			}
		})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		start := time.Now()
		if _, err := s.Refresh(ctx, "k", nil); err != context.DeadlineExceeded || time.Since(start) != time.Millisecond {
			t.Errorf("the follower got %v after %v", err, time.Since(start))
		}
		s.mu.Lock()
		if n := len(s.flights["k"].waiters); n != 0 {
			t.Errorf("%d waiters left of a caller that left", n)
		}
		s.mu.Unlock()
		if _, err := s.Refresh(ctx, "k", nil); err != context.DeadlineExceeded {
			t.Errorf("with a context that ended before: %v", err)
		}
		wg.Wait()
	})
}

func TestRefreshNaNIsNotKept(t *testing.T) {
	nan := 0.0
	nan /= nan
	s, err := NewStore[float64, string](StoreConfig{MaxEntries: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Put(nan, "v") {
		t.Error("stored under a key that nobody can look up")
	}
	if v, err := s.Refresh(t.Context(), nan, always("v")); v != "v" || err != nil {
		t.Errorf("Refresh = %q, %v", v, err)
	}
	if s.Len() != 0 || len(s.flights) != 0 {
		t.Errorf("kept %d entries and %d flights", s.Len(), len(s.flights))
	}
}

// A caller whose context ends while it loads for all must not fail the others,
// as it does where the first caller's context is everybody's.
func TestRegressionLeaderThatLeavesStrandsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, StoreConfig{})
		var calls atomic.Int64
		var wg sync.WaitGroup
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := s.Refresh(ctx, "k", slow(&calls, time.Second, "first", nil)); err != context.DeadlineExceeded {
				t.Errorf("the leader got %v", err)
			}
		})
		synctest.Wait()
		for range 10 {
			wg.Go(func() {
				if v, err := s.Refresh(t.Context(), "k", slow(&calls, time.Second, "second", nil)); v != "second" || err != nil {
					t.Errorf("a follower got %q, %v", v, err)
				}
			})
		}
		wg.Wait()
		if calls.Load() != 2 {
			t.Errorf("%d loads, want 2", calls.Load())
		}
	})
}

// cinar/resile's breaker stayed open for ever after a panic in the probe: what
// one call holds for others must be resolved however that call ends.
func TestRegressionLeaderThatPanicsStrandsNobody(t *testing.T) {
	for name, end := range map[string]func(){
		"panic":  func() { panic("boom") },
		"goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t, StoreConfig{})
				var caught any
				var wg sync.WaitGroup
				wg.Go(func() {
					defer func() { caught = recover() }()
					s.Refresh(t.Context(), "k", func(context.Context) (string, error) {
						time.Sleep(time.Second)
						end()
						return "", nil
					})
				})
				synctest.Wait()
				for range 5 {
					wg.Go(func() {
						if _, err := s.Refresh(t.Context(), "k", nil); !errors.Is(err, ErrAbandoned) {
							t.Errorf("a follower got %v", err)
						}
					})
				}
				wg.Wait()
				if name == "panic" && caught != "boom" {
					t.Errorf("the leader recovered %v", caught)
				}
				if v, err := s.Refresh(t.Context(), "k", always("v")); v != "v" || err != nil {
					t.Errorf("the next refresh got %q, %v", v, err)
				}
			})
		})
	}
}

// sony/gobreaker waits for ever for a probe that hangs. A load that hangs has
// its key for a lease only, and its late landing does not touch the next one.
func TestRegressionLoadThatHangsHasALease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, StoreConfig{RefreshLease: time.Second})
		free := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			s.Refresh(t.Context(), "k", func(context.Context) (string, error) { <-free; return "late", nil })
		})
		synctest.Wait()
		var calls atomic.Int64
		start := time.Now()
		for range 5 {
			wg.Go(func() {
				v, err := s.Refresh(t.Context(), "k", slow(&calls, 500*time.Millisecond, "v", nil))
				if took := time.Since(start); v != "v" || err != nil || took != 1500*time.Millisecond {
					t.Errorf("a follower got %q, %v after %v", v, err, took)
				}
			})
		}
		time.Sleep(1200 * time.Millisecond) // the second load is under way
		close(free)
		synctest.Wait() // the first has landed, and the second is still shared
		wg.Go(func() { s.Refresh(t.Context(), "k", slow(&calls, 0, "third", nil)) })
		wg.Wait()
		if calls.Load() != 1 {
			t.Errorf("%d loads after the lease, want 1", calls.Load())
		}
		if v, _, _ := s.Lookup("k"); v != "v" {
			t.Errorf("the late load replaced %q by %q", "v", v)
		}
	})
}

// goresilience's workers blocked for ever on a result that nobody read any
// more, and a limiter's waiters stayed queued after their callers had left.
func TestRegressionLoadDoesNotWaitForItsReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStore(t, StoreConfig{})
		var calls atomic.Int64
		var wg sync.WaitGroup
		wg.Go(func() { s.Refresh(t.Context(), "k", slow(&calls, time.Second, "v", nil)) })
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		for range 5 {
			wg.Go(func() { s.Refresh(ctx, "k", nil) })
		}
		synctest.Wait()
		cancel()
		wg.Wait() // a deadlock of the bubble otherwise
		if _, _, ok := s.Lookup("k"); !ok {
			t.Error("nothing was stored")
		}
	})
}

package fallback

import (
	"context"
	"slices"

	"github.com/stanch-go/stanch/internal/clock"
)

// A flight is one load that several callers of Refresh share. The caller that
// runs it writes the result before it wakes those that wait.
type flight[T any] struct {
	until   int64 // end of the lease: who comes later does not wait for it
	waiters []clock.Waiter

	value T
	err   error
	retry bool // the result says nothing, for the caller that ran the load left
}

// Refresh loads the value of key and stores it. Of many callers at once one
// runs load, under its own context and on its own goroutine; the others wait
// for the result, each until its own context ends. An error is theirs too, and
// the stored value stays. But when the context of the one that loads ends, the
// next of them loads; when its load panics, or outlasts RefreshLease, they are
// not stranded either: see ErrAbandoned and StoreConfig.
//
// The value is stored as of the instant when the load began, for it may be as
// old as that. load must not refresh the same key.
func (s *Store[K, T]) Refresh(ctx context.Context, key K, load Loader[T]) (T, error) {
	if !findable(key) {
		return load(ctx)
	}
	for {
		if err := ctx.Err(); err != nil {
			var zero T
			return zero, err
		}
		now := s.clk.Now()
		f, w := s.join(now, key)
		if w == nil {
			return s.lead(ctx, now, key, f, load)
		}
		switch w.Wait(ctx, f.until) {
		case clock.Woken:
			if !f.retry {
				return f.value, f.err
			}
		default: // left before the result: the loop says why, or loads
			s.leave(f, w)
		}
	}
}

// join returns the flight for key and a place among its waiters, or a new
// flight and no waiter: then the caller must lead it.
func (s *Store[K, T]) join(now int64, key K) (*flight[T], clock.Waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.flights[key]
	if f == nil || now >= f.until {
		f = &flight[T]{until: clock.Add(now, s.lease)}
		s.flights[key] = f
		return f, nil
	}
	w := s.clk.NewWaiter()
	f.waiters = append(f.waiters, w)
	return f, w
}

// lead runs the load and lands the flight, whatever ends it.
func (s *Store[K, T]) lead(ctx context.Context, now int64, key K, f *flight[T], load Loader[T]) (T, error) {
	f.err = ErrAbandoned // stays if load panics or calls runtime.Goexit
	defer s.land(key, f)
	v, err := load(ctx)
	if err == nil {
		s.PutAt(now, key, v)
	}
	f.value, f.err = v, err
	f.retry = err != nil && ctx.Err() != nil
	return v, err
}

// land ends the flight and wakes those that wait for it.
func (s *Store[K, T]) land(key K, f *flight[T]) {
	s.mu.Lock()
	if s.flights[key] == f { // else its lease ended and another took off
		delete(s.flights, key)
	}
	waiters := f.waiters
	f.waiters = nil
	s.mu.Unlock()
	for _, w := range waiters {
		w.Wake()
	}
}

// leave gives up a place among the waiters, so that callers that went away do
// not pile up behind a load that hangs.
func (s *Store[K, T]) leave(f *flight[T], w clock.Waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(f.waiters, w); i >= 0 {
		f.waiters = slices.Delete(f.waiters, i, i+1)
	}
}

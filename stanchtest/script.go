package stanchtest

import (
	"context"
	"sync"
	"time"
)

// Forever is the delay of an answer that never comes.
const Forever time.Duration = 1<<63 - 1

// A Reply is what a scripted dependency does with one call.
type Reply[T any] struct {
	Value T     // what the call returns
	Err   error // likewise
	// After is how long it takes. With Forever the call hangs until its context
	// ends.
	After time.Duration
	// Deaf makes the call ignore the end of its context and reply when After is
	// over. With Forever it has no effect: nothing would ever end the call.
	Deaf bool
	// Panic, when not nil, is what the call panics with instead of returning.
	Panic any
}

// A Script is a dependency that replies as it is told: the calls get the
// replies in order, and when there are no more, the last one again. It is safe
// for concurrent use.
type Script[T any] struct {
	mu      sync.Mutex
	replies []Reply[T]
	calls   int
	running int
	peak    int
}

// NewScript returns a dependency with these replies; without any it returns
// zero values at once.
func NewScript[T any](replies ...Reply[T]) *Script[T] {
	return &Script[T]{replies: replies}
}

// Call is the function to hand to stanch.Do. It waits on the goroutine that
// calls it, and returns ctx.Err() if ctx ends before the reply is due.
func (s *Script[T]) Call(ctx context.Context) (T, error) {
	r := s.begin()
	defer s.end()
	if err := r.wait(ctx); err != nil {
		var none T
		return none, err
	}
	if r.Panic != nil {
		panic(r.Panic)
	}
	return r.Value, r.Err
}

// Calls returns how many calls have begun.
func (s *Script[T]) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// Peak returns the most calls that were running at once.
func (s *Script[T]) Peak() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.peak
}

func (s *Script[T]) begin() (r Reply[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.replies); n > 0 {
		r = s.replies[min(s.calls, n-1)]
	}
	s.calls++
	s.running++
	s.peak = max(s.peak, s.running)
	return r
}

func (s *Script[T]) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

func (r Reply[T]) wait(ctx context.Context) error {
	if r.After == Forever {
		<-ctx.Done()
		return ctx.Err()
	}
	if r.Deaf {
		time.Sleep(r.After)
		return nil
	}
	if r.After <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(r.After)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

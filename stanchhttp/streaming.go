package stanchhttp

import (
	"context"
	"sync"
	"time"

	"github.com/stanch-go/stanch/deadline"
)

// streaming is a context that ends with the attempt's until answered is called,
// and with its life before and after. The one that ended it is its cause.
//
// A base that asks for Done gets a context of the standard library. One that only
// wants to be called at the end, by AfterFunc, makes do without.
type streaming struct {
	life, attempt context.Context

	mu     sync.Mutex
	ended  bool
	byLife bool            // and the life had ended before
	cause  error           // of an end that is not the life's
	inner  context.Context // once Done, or a cause, is to be told
	cancel context.CancelCauseFunc
	header *headerTimer // nil: not armed, or not any more
	armed  bool
	call   func()      // to be called at the end, nil if there is none
	calls  int         // the calls there have been
	unlink func() bool // the call from the life
}

// headerOnly returns the streaming context of an attempt. The attempt's ends with
// its life or at its deadline, for which a timer is enough.
func headerOnly(attempt, life context.Context) *streaming {
	return &streaming{attempt: attempt, life: life}
}

// answered takes the limit of the header off.
func (s *streaming) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armed = true
	s.disarm()
}

// Cancel ends it for good.
func (s *streaming) Cancel() { s.end(nil) }

func (s *streaming) Deadline() (time.Time, bool) { return s.life.Deadline() }

func (s *streaming) Done() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.context().Done()
}

func (s *streaming) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.inner != nil:
		return s.inner.Err()
	case s.ended && !s.byLife:
		return context.Canceled
	}
	return s.life.Err()
}

// Value looks at the attempt first only for what the caller may have too: package
// context must find the one that ends.
func (s *streaming) Value(key any) any {
	if _, ok := key.(deadline.AttemptKey); !ok {
		if v := s.ends().Value(key); v != nil {
			return v
		}
	}
	return s.attempt.Value(key)
}

// AfterFunc has f called at the end, by whoever ends it: it must not block. It is
// what context.AfterFunc is, without a Done channel.
func (s *streaming) AfterFunc(f func()) (stop func() bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.call != nil || s.inner != nil {
		return context.AfterFunc(s.context(), f)
	}
	s.arm()
	s.calls++
	n := s.calls
	s.call, s.unlink = f, context.AfterFunc(s.life, s.leave)
	return func() bool { return s.forget(n) }
}

// forget takes the n-th call back, unless it has been made.
func (s *streaming) forget(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.call == nil || s.calls != n {
		return false
	}
	s.call = nil
	s.unlink()
	return true
}

// ends returns the context that package context may find.
func (s *streaming) ends() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inner != nil {
		return s.inner
	}
	return s.life
}

// context returns the standard library's. The lock is held.
func (s *streaming) context() context.Context {
	if s.inner == nil {
		s.inner, s.cancel = context.WithCancelCause(s.life)
		if s.ended {
			s.cancel(s.cause)
		}
		s.arm()
	}
	return s.inner
}

// leave is called when the life has ended.
func (s *streaming) leave() { s.end(nil) }

// expire is called when there should have been a header.
func (s *streaming) expire() {
	<-s.attempt.Done() // at any moment; only then it has a cause
	s.end(context.Cause(s.attempt))
}

func (s *streaming) end(cause error) {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.ended, s.byLife, s.cause = true, s.life.Err() != nil, cause
	s.disarm()
	if cause != nil {
		s.context()
	}
	cancel, call := s.cancel, s.call
	if s.call = nil; call != nil {
		s.unlink()
	}
	s.mu.Unlock()
	if cancel != nil {
		cancel(cause)
	}
	if call != nil {
		call()
	}
}

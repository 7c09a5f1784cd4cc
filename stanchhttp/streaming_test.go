package stanchhttp

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/deadline"
)

// What is called at the end is called at the same ends, with the same error and
// cause, whether the context has made a Done channel or not.
func TestStreamingCalls(t *testing.T) {
	errLeft, errLate := errors.New("left"), errors.New("late")
	for name, tt := range map[string]struct {
		play  func(s *streaming, leave context.CancelCauseFunc, stop func() bool)
		at    time.Duration // of the call, -1: none
		err   error
		cause error
	}{
		"no header":          {func(*streaming, context.CancelCauseFunc, func() bool) {}, time.Second, context.Canceled, errLate},
		"the life ends":      {func(_ *streaming, leave context.CancelCauseFunc, _ func() bool) { leave(errLeft) }, 0, context.Canceled, errLeft},
		"cancelled":          {func(s *streaming, _ context.CancelCauseFunc, _ func() bool) { s.Cancel() }, 0, context.Canceled, context.Canceled},
		"answered":           {func(s *streaming, _ context.CancelCauseFunc, _ func() bool) { s.answered() }, -1, nil, nil},
		"stopped":            {func(_ *streaming, _ context.CancelCauseFunc, stop func() bool) { stop() }, -1, context.Canceled, errLate},
		"answered, then end": {func(s *streaming, leave context.CancelCauseFunc, _ func() bool) { s.answered(); leave(errLeft) }, 0, context.Canceled, errLeft},
	} {
		for _, armed := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				life, leave := context.WithCancelCause(t.Context())
				defer leave(nil)
				attempt := deadline.WithTimeout(life, time.Second, errLate)
				defer attempt.Cancel()
				s := headerOnly(attempt, life)
				defer s.Cancel()
				if armed {
					s.Done()
				}
				began, called := time.Now(), atomic.Int64{}
				called.Store(-1)
				stop := s.AfterFunc(func() { called.Store(int64(time.Since(began))) })
				tt.play(s, leave, stop)
				time.Sleep(2 * time.Second)
				if at := time.Duration(called.Load()); at != tt.at && (at >= 0 || tt.at >= 0) {
					t.Errorf("%s, armed %v: called after %v, want %v", name, armed, at, tt.at)
				}
				if want := tt.at < 0 && name != "stopped"; stop() != want {
					t.Errorf("%s, armed %v: a stop afterwards is not %v", name, armed, want)
				}
				if !armed && s.inner != nil && tt.cause != errLate {
					t.Errorf("%s: a Done channel was made", name)
				}
				if err, cause := s.Err(), context.Cause(s); err != tt.err || cause != tt.cause {
					t.Errorf("%s, armed %v: ended with %v and %v", name, armed, err, cause)
				}
				if closed := isClosed(s.Done()); closed != (tt.err != nil) {
					t.Errorf("%s, armed %v: Done is closed: %v", name, armed, closed)
				}
			})
		}
	}
}

func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}

// The end of a life by its deadline stays what it was after Cancel.
func TestStreamingKeepsTheLifesError(t *testing.T) {
	life, leave := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer leave()
	s := headerOnly(life, life)
	first := s.Err()
	s.Cancel()
	if err := s.Err(); first != context.DeadlineExceeded || err != first || context.Cause(s) != first {
		t.Errorf("%v, then %v with the cause %v", first, err, context.Cause(s))
	}
}

// A second function, and one that comes too late, are served by package context.
func TestStreamingCallsMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		s := headerOnly(t.Context(), t.Context())
		count := func() { calls.Add(1) }
		first, second := s.AfterFunc(count), s.AfterFunc(count)
		s.Cancel()
		late := s.AfterFunc(count)
		synctest.Wait()
		if n := calls.Load(); n != 3 || first() || second() || late() {
			t.Errorf("%d of three calls, or one was stopped afterwards", n)
		}
	})
}

// A timer that is used again must not move between a bubble of testing/synctest
// and the rest of the process, in either direction: the first stops for good, or
// the runtime ends the process.
func TestStreamingTimerStaysInItsBubble(t *testing.T) {
	stop := func(t *testing.T) {
		attempt := deadline.WithTimeout(t.Context(), time.Hour, nil)
		defer attempt.Cancel()
		for range 10 {
			s := headerOnly(attempt, t.Context())
			s.AfterFunc(func() {})()
			s.Cancel()
		}
	}
	for range 3 {
		stop(t)
		synctest.Test(t, func(t *testing.T) {
			stop(t)
			attempt := deadline.WithTimeout(t.Context(), time.Hour, nil)
			defer attempt.Cancel()
			began, called := time.Now(), make(chan time.Duration, 1)
			headerOnly(attempt, t.Context()).AfterFunc(func() { called <- time.Since(began) })
			if at := <-called; at != time.Hour {
				t.Errorf("called after %v", at)
			}
		})
	}
}

// A timer that one context has left must never end the next one. Run under -race.
func TestStreamingTimerIsNobodyElses(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 500 {
				brief := deadline.WithTimeout(t.Context(), time.Duration(i%20)*time.Microsecond, nil)
				s := headerOnly(brief, t.Context())
				s.AfterFunc(func() {})
				s.answered()
				s.Cancel()
				brief.Cancel()

				long := deadline.WithTimeout(t.Context(), time.Hour, nil)
				next := headerOnly(long, t.Context())
				stop := next.AfterFunc(func() { t.Error("ended by the timer of another") })
				if next.Err() != nil {
					t.Error("ended by the timer of another")
				}
				stop()
				next.Cancel()
				long.Cancel()
			}
		})
	}
	wg.Wait()
}

// Everything at once, ending in each of its ways. Run under -race.
func TestStreamingConcurrently(t *testing.T) {
	for i := range 300 {
		life, leave := context.WithCancel(t.Context())
		attempt := deadline.WithTimeout(life, 50*time.Microsecond, nil)
		s := headerOnly(attempt, life)
		var calls atomic.Int32
		var wg sync.WaitGroup
		kept := false
		wg.Go(func() {
			stop := s.AfterFunc(func() { calls.Add(1) })
			if i%2 == 0 {
				kept = stop()
			}
		})
		wg.Go(func() {
			if i%3 == 0 {
				<-s.Done()
			}
		})
		wg.Go(func() {
			if s.Err() == nil && i%5 == 0 {
				s.answered()
				s.Cancel()
			}
			_ = s.Value(deadline.AttemptKey{})
		})
		wg.Go(func() {
			if i%4 == 1 {
				leave()
			}
		})
		wg.Wait()
		s.Cancel()
		leave()
		<-s.Done()
		attempt.Cancel()
		if n := calls.Load(); n > 1 || kept && n > 0 {
			t.Fatalf("round %d: called %d times, stopped: %v", i, n, kept)
		}
	}
}

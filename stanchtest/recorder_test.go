package stanchtest_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/stanchtest"
)

const ms = time.Millisecond

// Every step has its line, with times from the first event on.
func TestStrings(t *testing.T) {
	lost := errors.New("lost")
	var r stanchtest.Recorder
	for i, e := range []stanch.Event{
		{Step: stanch.StepAttempt, Attempt: 1},
		{Step: stanch.StepAttempt, Attempt: 1, Wait: 3 * ms},
		{Step: stanch.StepAttemptDone, Attempt: 1, Took: 5 * ms, Outcome: outcome.Failure, Result: stanch.ResultError, Err: lost},
		{Step: stanch.StepBackoff, Attempt: 2, Wait: 10 * ms},
		{Step: stanch.StepRetryRefused, Attempt: 2, Reason: stanch.ErrBudget, Err: lost},
		{Step: stanch.StepRefused, Attempt: 1, Reason: stanch.ErrBreakerOpen, Wait: time.Second},
		{Step: stanch.StepTransition, From: breaker.Closed, To: breaker.Open},
		{Step: stanch.StepFallback, Source: "stale", Took: 2 * ms},
		{Step: stanch.StepFallback, Err: lost},
		{Step: stanch.StepDone, Attempt: 1, Took: 7 * ms},
	} {
		e.Dependency, e.At = "db", int64(time.Hour)+int64(i)*int64(ms)
		r.Observe(e)
	}
	want := []string{
		"0s db: attempt 1",
		"1ms db: attempt 1 queued 3ms",
		"2ms db: attempt-done 1 error failure 5ms: lost",
		"3ms db: backoff 2 wait 10ms",
		"4ms db: retry-refused 2 budget: lost",
		"5ms db: refused 1 breaker_open after 1s",
		"6ms db: transition closed to open",
		"7ms db: fallback stale 2ms",
		"8ms db: fallback none 0s: lost",
		"9ms db: done 1 ok success 7ms",
	}
	if got := r.Strings(); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := r.Steps(); len(got) != len(want) || got[3] != stanch.StepBackoff {
		t.Errorf("steps %v", got)
	}
	r.Reset()
	if len(r.Events()) != 0 || r.Count(stanch.StepAttempt) != 0 || r.Strings() != nil {
		t.Error("not reset")
	}
}

// What is beyond the limit is counted and not kept, whoever tells it.
func TestBounded(t *testing.T) {
	r := stanchtest.Recorder{Limit: 10}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 25 {
				r.Observe(stanch.Event{Step: stanch.StepDone})
				r.Events()
			}
		})
	}
	wg.Wait()
	if len(r.Events()) != 10 || r.Count(stanch.StepDone) != 100 {
		t.Errorf("%d kept, %d counted", len(r.Events()), r.Count(stanch.StepDone))
	}
}

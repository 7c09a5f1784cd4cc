package stanchtest_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/stanchtest"
)

func TestScript(t *testing.T) {
	lost := errors.New("lost")
	for _, tt := range []struct {
		name    string
		reply   stanchtest.Reply[int]
		timeout time.Duration
		want    int
		err     error
		took    time.Duration
	}{
		{"a value", stanchtest.Reply[int]{Value: 7}, time.Second, 7, nil, 0},
		{"a value and an error", stanchtest.Reply[int]{Value: 7, Err: lost}, time.Second, 7, lost, 0},
		{"later", stanchtest.Reply[int]{Value: 7, After: 20 * ms}, time.Second, 7, nil, 20 * ms},
		{"too late", stanchtest.Reply[int]{Value: 7, After: 20 * ms}, 10 * ms, 0, context.DeadlineExceeded, 10 * ms},
		{"too late and deaf", stanchtest.Reply[int]{Value: 7, After: 20 * ms, Deaf: true}, 10 * ms, 7, nil, 20 * ms},
		{"never", stanchtest.Reply[int]{After: stanchtest.Forever}, 10 * ms, 0, context.DeadlineExceeded, 10 * ms},
		{"never and deaf", stanchtest.Reply[int]{After: stanchtest.Forever, Deaf: true}, 10 * ms, 0, context.DeadlineExceeded, 10 * ms},
		{"at once, though its time is over", stanchtest.Reply[int]{Value: 7}, 0, 0, context.DeadlineExceeded, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tt.timeout)
				defer cancel()
				start := time.Now()
				got, err := stanchtest.NewScript(tt.reply).Call(ctx)
				if took := time.Since(start); got != tt.want || err != tt.err || took != tt.took {
					t.Errorf("%v, %v after %v; want %v, %v after %v", got, err, took, tt.want, tt.err, tt.took)
				}
			})
		})
	}
}

func TestScriptInOrder(t *testing.T) {
	s := stanchtest.NewScript(stanchtest.Reply[int]{Value: 1}, stanchtest.Reply[int]{Value: 2})
	for i, want := range []int{1, 2, 2, 2} {
		if got, err := s.Call(t.Context()); got != want || err != nil {
			t.Errorf("call %d: %v, %v, want %v", i, got, err, want)
		}
	}
	if s.Calls() != 4 || s.Peak() != 1 {
		t.Errorf("%d calls, a peak of %d", s.Calls(), s.Peak())
	}
	if got, err := stanchtest.NewScript[int]().Call(t.Context()); got != 0 || err != nil {
		t.Errorf("without replies: %v, %v", got, err)
	}
}

// A panic, like everything else, leaves nothing running behind.
func TestScriptPeak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stanchtest.NewScript(stanchtest.Reply[int]{Panic: "broken", After: 10 * ms})
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				defer func() {
					if r := recover(); r != "broken" {
						t.Errorf("recovered %v", r)
					}
				}()
				s.Call(t.Context())
			})
			synctest.Wait()
		}
		wg.Wait()
		func() {
			defer func() { recover() }()
			s.Call(t.Context())
		}()
		if s.Peak() != 3 || s.Calls() != 4 {
			t.Errorf("a peak of %d in %d calls", s.Peak(), s.Calls())
		}
	})
}

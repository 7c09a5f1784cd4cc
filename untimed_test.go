package stanch_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/retry"
)

// looks counts how often somebody looks at the clock.
type looks struct {
	clock.Clock
	n int
}

func (l *looks) Now() int64 { l.n++; return l.Clock.Now() }

var retries = stanch.Config{Retry: retry.Config{Attempts: 3, Base: 50 * ms, Jitter: retry.None}}

// A call that only retries guard is timed from its first failure on.
func TestUntimedCallLooksAtNoClock(t *testing.T) {
	l := &looks{Clock: clock.Real}
	d := stanch.Must(stanch.New("d", retries, stanch.WithClock(l)))
	if v, err := stanch.Do(t.Context(), d, func(context.Context) (int, error) { return 1, nil }); v != 1 || err != nil || l.n != 0 {
		t.Errorf("%d, %v, %d looks at the clock", v, err, l.n)
	}
}

func TestUntimedCallHeedsTheCallersDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", retries))
		ctx, cancel := context.WithTimeout(t.Context(), 100*ms)
		defer cancel()
		start, calls := time.Now(), 0
		_, err := stanch.Do(ctx, d, func(context.Context) (int, error) { calls++; return 0, outcome.Retryable(errOther) })
		if calls != 2 || !errors.Is(err, stanch.ErrDeadline) || !errors.Is(err, errOther) {
			t.Errorf("%d attempts, %v", calls, err)
		}
		if took := time.Since(start); took != 50*ms {
			t.Errorf("took %v: the second wait could not fit and was not to be begun", took)
		}
	})
}

func TestUntimedCallRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", retries))
		calls := 0
		v, err := stanch.Do(t.Context(), d, func(context.Context) (int, error) {
			if calls++; calls < 3 {
				return 0, outcome.Retryable(errOther)
			}
			return calls, nil
		})
		if v != 3 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
	})
}

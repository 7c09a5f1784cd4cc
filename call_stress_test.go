package stanch_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/retry"
	"github.com/stanch-go/stanch/stanchtest"
)

// Many callers in real time, for the race detector: never more at once than
// allowed, each call told of once, and nothing left in the end.
func TestStress(t *testing.T) {
	const callers, calls, limit = 8, 400, 3
	rec := stanchtest.Recorder{Limit: 1}
	d := stanch.Must(stanch.New("d", cfg(func(c *stanch.Config) {
		c.Timeout.Attempt = 2 * ms
		c.Retry = retry.Config{Attempts: 3, Base: 10 * time.Microsecond, Cap: 100 * time.Microsecond}
		c.Budget = retry.BudgetConfig{Kind: retry.KindEarning, Trickle: 1000}
		c.Breaker = breaker.Config{Consecutive: 3, Cooldown: ms, Trickle: breaker.Trickle{First: 200 * time.Microsecond}, Ramp: ms}
		c.Bulkhead = bulkhead.Config{Limit: limit, Queue: 3, MaxWait: ms, Linger: ms}
	}), stanch.WithObserver(&rec)))
	var running, reached atomic.Int64
	fn := func(ctx context.Context) (int, error) {
		if n := running.Add(1); n > limit {
			t.Errorf("%d at once", n)
		}
		defer running.Add(-1)
		reached.Add(1)
		switch rand.IntN(20) {
		case 0:
			<-ctx.Done()
			return 0, ctx.Err()
		case 1, 2, 3, 4:
			return 0, errLost
		case 5:
			panic("broken")
		case 6:
			time.AfterFunc(100*time.Microsecond, stanch.Hold(ctx))
			stanch.Hold(ctx)()
		case 7:
			new(stanch.Held).Hold(ctx, ctx)
		case 8:
			h := new(stanch.Held)
			h.Hold(ctx, ctx)
			go h.Release()
		}
		return 1, nil
	}
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			for n := range calls {
				func() {
					defer func() { recover() }()
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					if (n+i)%7 == 0 {
						go cancel()
					}
					_, err := stanch.Ask(ctx, d, fn, stanch.Or("stale", func(context.Context) (int, error) { return 2, nil }))
					if err != nil && ctx.Err() == nil {
						t.Error(err)
					}
				}()
			}
		})
	}
	wg.Wait()
	time.Sleep(5 * ms) // what lingers or is held
	if s := d.Bulkhead().Stats(); s.InFlight != 0 || s.Waiting != 0 || s.PeakInFlight > limit {
		t.Errorf("left behind: %+v", s)
	}
	if s := stats(d); s.Probes != 0 {
		t.Errorf("left behind: %+v", s)
	}
	if done := rec.Count(stanch.StepDone); done != callers*calls {
		t.Errorf("%d ends of %d calls", done, callers*calls)
	}
	if began, ended := rec.Count(stanch.StepAttempt), rec.Count(stanch.StepAttemptDone); began != ended || began != int(reached.Load()) {
		t.Errorf("%d attempts begun, %d ended, %d reached the dependency", began, ended, reached.Load())
	}
	if rec.Count(stanch.StepTransition) == 0 || rec.Count(stanch.StepBackoff) == 0 || rec.Count(stanch.StepRefused) == 0 {
		t.Errorf("the stress is none: %d transitions, %d retries, %d refusals", rec.Count(stanch.StepTransition), rec.Count(stanch.StepBackoff), rec.Count(stanch.StepRefused))
	}
}

package inbound_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/quota"
	"github.com/stanch-go/stanch/shed"
)

// arrival is a request of a drawn script.
type arrival struct {
	at, work, patience time.Duration // patience 0: the caller does not leave
	r                  inbound.Request
	end                int // how the work ends
}

func drawArrivals(t *rapid.T) []arrival {
	ms := func(low, high int, label string) time.Duration {
		return time.Duration(rapid.IntRange(low, high).Draw(t, label)) * time.Millisecond
	}
	all := make([]arrival, rapid.IntRange(1, 40).Draw(t, "requests"))
	for i := range all {
		a := &all[i]
		a.at, a.work = ms(0, 200, "at"), ms(0, 60, "work")
		if rapid.Bool().Draw(t, "leaves") {
			a.patience = ms(1, 50, "patience")
		}
		a.r = inbound.Request{
			Method: rapid.SampledFrom([]string{"GET", "POST"}).Draw(t, "method"), Path: rapid.SampledFrom([]string{"/", "/a", "/a/b", "/ab"}).Draw(t, "path"),
			Tenant: rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "tenant"), Priority: shed.Priority(rapid.IntRange(-2, 1).Draw(t, "priority")), HasPriority: true,
		}
		a.end = rapid.IntRange(0, 3).Draw(t, "end")
	}
	return all
}

// ledger checks what an observer is told against what requests were told.
type ledger struct {
	steps  [4]atomic.Int64
	denied atomic.Int64
}

func (l *ledger) ObserveInbound(e inbound.Event) {
	l.steps[e.Step].Add(1)
	if e.Step == inbound.Refused && e.By != "" {
		l.denied.Add(1)
	}
}

// Whatever comes, and however it ends: as many as are allowed are in flight,
// each is told once, and in the end nothing is held.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(rt, "limit")
		rate := rapid.IntRange(1, 20).Draw(rt, "rate")
		cfg := inbound.Config{
			Deadline:    80 * time.Millisecond,
			Limits:      []inbound.Limit{{Name: "x", By: inbound.Tenant, Rate: float64(rate), Window: time.Hour}},
			Quotas:      []inbound.Quota{{Name: "q", Route: "/a", Config: quota.Config{Rate: float64(rate), Window: time.Hour}}},
			Priorities:  inbound.Priorities{Trust: true},
			Concurrency: inbound.Concurrency{Config: shed.Config{Limit: limit, Queue: rapid.IntRange(0, 8).Draw(rt, "queue")}},
		}
		arrivals := drawArrivals(rt)
		synctest.Test(t, func(t *testing.T) {
			var told ledger
			c := control(t, cfg, inbound.WithObserver(&told), inbound.WithSeed(1))
			var flying, begun, refused, left atomic.Int64
			var passed sync.Map // by tenant, how many the limit let through
			var wg sync.WaitGroup
			for _, a := range arrivals {
				wg.Go(func() {
					wait(t.Context(), a.at)
					ctx := t.Context()
					if a.patience > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithCancel(ctx)
						defer cancel()
						defer time.AfterFunc(a.patience, cancel).Stop()
					}
					admission, err := c.Admit(ctx, a.r)
					if s := admission.States(); len(s) > 0 && admission.By() != "x" {
						n, _ := passed.LoadOrStore(a.r.Tenant, new(atomic.Int64))
						n.(*atomic.Int64).Add(1)
					}
					switch {
					case errors.Is(err, context.Canceled):
						left.Add(1)
						return
					case err != nil:
						if _, ok := errors.AsType[*stanch.Refusal](err); !ok {
							t.Errorf("%v is no refusal", err)
						}
						refused.Add(1)
						admission.Done(outcome.Success) // resolves nothing
						return
					}
					begun.Add(1)
					if n := flying.Add(1); n > int64(limit) {
						t.Errorf("%d in flight, limit %d", n, limit)
					}
					defer func() { recover() }()
					defer admission.Done(outcome.Failure)
					wait(t.Context(), a.work)
					flying.Add(-1) // before any Done
					switch a.end {
					case 0:
						panic("broken")
					case 1:
						defer admission.Done(outcome.Success)
					}
				})
			}
			wg.Wait()
			for step, want := range map[inbound.Step]int64{inbound.Admitted: begun.Load(), inbound.Ended: begun.Load(), inbound.Refused: refused.Load(), inbound.Left: left.Load()} {
				if got := told.steps[step].Load(); got != want {
					t.Errorf("step %d told %d times, want %d", step, got, want)
				}
			}
			if s := c.Stats().Shed; s.InFlight != 0 || s.Waiting != 0 {
				t.Errorf("%d in flight and %d waiting at the end", s.InFlight, s.Waiting)
			}
			passed.Range(func(tenant, n any) bool {
				if n := n.(*atomic.Int64).Load(); n > int64(rate) {
					t.Errorf("the limit of tenant %q let %d through, and may %d", tenant, n, rate)
				}
				return true
			})
		})
	})
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

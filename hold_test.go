package stanch_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/stanchtest"
)

var holding = cfg(func(c *stanch.Config) {
	c.Timeout.Attempt = 100 * ms
	c.Bulkhead = bulkhead.Config{Limit: 2, Linger: time.Second}
})

func held(t *testing.T, d *stanch.Dependency, inFlight, lingering int) {
	t.Helper()
	if s := d.Bulkhead().Stats(); s.InFlight != inFlight || s.Lingering != lingering {
		t.Errorf("%d in flight, %d linger; want %d, %d", s.InFlight, s.Lingering, inFlight, lingering)
	}
}

// The place and the context are kept until the call has returned and all Holds
// are released, in whatever order.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", holding))
		hold := func(end func(ctx context.Context, release func())) context.Context {
			ctx, err := stanch.Do(t.Context(), d, func(ctx context.Context) (context.Context, error) {
				end(ctx, stanch.Hold(ctx))
				return ctx, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			return ctx
		}

		var release func()
		ctx := hold(func(_ context.Context, r func()) { release = r })
		held(t, d, 1, 0)
		if ctx.Err() != nil {
			t.Error("the context ended with the call")
		}
		release()
		held(t, d, 0, 0)
		if ctx.Err() == nil {
			t.Error("the context did not end with the release")
		}
		release() // must not free what is not its own
		d.Bulkhead().TryAcquire()
		release()
		held(t, d, 1, 0)
		d.Bulkhead().Release()

		ctx = hold(func(ctx context.Context, r func()) {
			r()
			held(t, d, 1, 0) // the call is still there
			if ctx.Err() != nil {
				t.Error("the context ended before the call")
			}
		})
		held(t, d, 0, 0)
		if ctx.Err() == nil {
			t.Error("the context outlived the call")
		}

		var first, second func()
		hold(func(ctx context.Context, r func()) { first, second = r, stanch.Hold(ctx) })
		second()
		second()
		held(t, d, 1, 0)
		first()
		held(t, d, 0, 0)
		stanch.Hold(ctx)() // too late to hold anything
		held(t, d, 0, 0)
	})
}

func TestHoldOutsideOfACall(t *testing.T) {
	stanch.Hold(t.Context())()
	free := stanch.Must(stanch.New("free", stanch.Config{}))
	stanch.Do(t.Context(), free, func(ctx context.Context) (int, error) {
		stanch.Hold(ctx)()
		return 0, nil
	})
}

// When the function panics its value is lost, and with it whoever would have
// released what it held.
func TestPanicAfterHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var observe func(stanch.Event)
		d := stanch.Must(stanch.New("d", holding, stanch.WithObserver(stanch.ObserverFunc(func(e stanch.Event) {
			if observe != nil {
				observe(e)
			}
		}))))
		for name, step := range map[string]stanch.Step{"in the function": stanch.StepAttempt, "while recording": stanch.StepAttemptDone, "at the end": stanch.StepDone} {
			observe = func(e stanch.Event) {
				if step != stanch.StepAttempt && e.Step == step {
					panic("observer")
				}
			}
			var release func()
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", name)
					}
				}()
				stanch.Do(t.Context(), d, func(ctx context.Context) (int, error) {
					release = stanch.Hold(ctx)
					if step == stanch.StepAttempt {
						panic("broken")
					}
					return 0, nil
				})
			}()
			held(t, d, 0, 0)
			release() // by a defer that did run
			held(t, d, 0, 0)
		}
	})
}

// An answer that is read for longer than the attempt may take is abandoned like
// one that never came; one that is read in time is not, nor one without an end.
func TestHoldBeyondTheDeadline(t *testing.T) {
	for _, tt := range []struct {
		hold      func(context.Context) func()
		reading   time.Duration
		lingering int
	}{{stanch.Hold, 99 * ms, 0}, {stanch.Hold, 100 * ms, 1}, {stanch.HoldOpen, time.Hour, 0}} {
		synctest.Test(t, func(t *testing.T) {
			d := stanch.Must(stanch.New("d", holding))
			release, _ := stanch.Do(t.Context(), d, func(ctx context.Context) (func(), error) { return tt.hold(ctx), nil })
			time.Sleep(tt.reading) // virtual
			release()
			held(t, d, tt.lingering, tt.lingering)
		})
	}
}

// What an attempt does with its place when it is over.
func TestPlaceAfterTheAttempt(t *testing.T) {
	inner := &stanch.Refusal{Reason: stanch.ErrBudget}
	for _, tt := range []struct {
		name   string
		reply  reply
		cancel bool
		want   int // how many linger: one does before, the attempt's own is added or both are gone
	}{
		{"an answer says that it works again", reply{}, false, 0},
		{"so does an error", reply{Err: errOther}, false, 0},
		{"and a late answer", reply{After: 200 * ms, Deaf: true}, false, 0},
		{"a timeout lingers", reply{After: stanchtest.Forever}, false, 2},
		{"so does the function's own", reply{Err: context.DeadlineExceeded}, false, 2},
		{"and a caller that went away", reply{After: stanchtest.Forever}, true, 2},
		{"a refusal further in says nothing", reply{Err: inner}, false, 1},
		{"nor does a panic", reply{Panic: "broken"}, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := holding
				c.Bulkhead.Limit = 3
				d := stanch.Must(stanch.New("d", c))
				s := stanchtest.NewScript(reply{After: stanchtest.Forever}, tt.reply)
				stanch.Do(t.Context(), d, s.Call)
				held(t, d, 1, 1)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel {
					time.AfterFunc(50*ms, cancel)
				}
				func() {
					defer func() { recover() }()
					stanch.Do(ctx, d, s.Call)
				}()
				held(t, d, tt.want, tt.want)
				time.Sleep(2 * time.Second) // virtual
				held(t, d, 0, 0)
			})
		})
	}
}

// A stream goes on after the time limit of its answer has passed. Its place once
// lingered then, as if the dependency had been given up.
func TestHoldOpenBeyondTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", holding))
		release, _ := stanch.Do(t.Context(), d, func(ctx context.Context) (func(), error) { return stanch.HoldOpen(ctx), nil })
		time.Sleep(200 * ms) // virtual
		held(t, d, 1, 0)
		release()
		held(t, d, 0, 0)
	})
}

// An answer that is still being read is one: what lingers is given back when it
// comes, not when it has been read.
func TestHeldAnswerSaysThatItWorksAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", holding))
		stanch.Do(t.Context(), d, stanchtest.NewScript(reply{After: stanchtest.Forever}).Call)
		held(t, d, 1, 1)
		release, _ := stanch.Do(t.Context(), d, func(ctx context.Context) (func(), error) { return stanch.Hold(ctx), nil })
		held(t, d, 1, 0)
		release()
		held(t, d, 0, 0)
	})
}

// A probe that times out leaves its place to the next one.
func TestProbeDoesNotLinger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := holding
		c.Breaker = breaker.Config{Consecutive: 1, Cooldown: 50 * ms}
		d := stanch.Must(stanch.New("d", c))
		s := stanchtest.NewScript(reply{After: stanchtest.Forever})
		stanch.Do(t.Context(), d, s.Call)
		held(t, d, 1, 1)
		time.Sleep(60 * ms) // virtual: the cooldown
		stanch.Do(t.Context(), d, s.Call)
		if s.Calls() != 2 {
			t.Fatalf("%d calls: the probe was not let through", s.Calls())
		}
		held(t, d, 1, 1)
	})
}

// An observer that panics between two attempts: the first one's context is not
// taken for the second one's.
func TestPanicBeforeTheSecondAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := holding
		c.Retry = retrying(nil).Retry
		d := stanch.Must(stanch.New("d", c, stanch.WithObserver(stanch.ObserverFunc(func(e stanch.Event) {
			if e.Step == stanch.StepAttempt && e.Attempt == 2 {
				panic("observer")
			}
		}))))
		call(t.Context(), d, stanchtest.NewScript(reply{Err: errLost}).Call)
		held(t, d, 0, 0)
	})
}

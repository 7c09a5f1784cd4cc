package stanch_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
)

// forget makes a call whose answer nobody will say that it has been read.
func forget(t *testing.T, ctx context.Context, d *stanch.Dependency, life context.Context) {
	t.Helper()
	if _, err := stanch.Do(ctx, d, func(ctx context.Context) (int, error) {
		if life == nil {
			life = ctx
		}
		new(stanch.Held).Hold(ctx, life)
		return 0, nil
	}); err != nil {
		t.Fatal(err)
	}
}

func nothing(context.Context) (int, error) { return 0, nil }

// Two answers of an attempt that may take 100 ms are forgotten, and there are two
// places, which linger for a second: they are free 1.1 s after the call, and not
// a second after somebody has noticed.
func TestForgottenPlacesComeBack(t *testing.T) {
	for _, tt := range []struct {
		after time.Duration
		free  bool
	}{{99 * ms, false}, {100 * ms, false}, {1099 * ms, false}, {1100 * ms, true}, {time.Hour, true}} {
		synctest.Test(t, func(t *testing.T) {
			d := stanch.Must(stanch.New("d", holding))
			forget(t, t.Context(), d, nil)
			forget(t, t.Context(), d, nil)
			time.Sleep(tt.after) // virtual
			_, err := stanch.Do(t.Context(), d, nothing)
			if free := err == nil; free != tt.free || !free && !errors.Is(err, stanch.ErrBulkheadFull) {
				t.Errorf("after %v: %v", tt.after, err)
			}
		})
	}
}

// The first answer after the time of a forgotten one says that the dependency
// works, as it does of what was given up in any other way.
func TestAnAnswerFreesForgottenPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", holding))
		forget(t, t.Context(), d, nil)
		time.Sleep(150 * ms) // virtual
		stanch.Do(t.Context(), d, nothing)
		held(t, d, 0, 0)
	})
}

// Who waits for a place gets it at the instant at which the forgotten one's life
// ends, whatever ends it, and whichever of the two was first.
func TestWaiterGetsAForgottenPlace(t *testing.T) {
	for name, tt := range map[string]struct {
		late   bool // the answer comes when somebody waits already
		cancel time.Duration
		want   time.Duration
	}{
		"its time is over":        {false, 0, 100 * ms},
		"the caller goes":         {false, 30 * ms, 30 * ms},
		"its time, later":         {true, 0, 100 * ms},
		"the caller, later":       {true, 30 * ms, 30 * ms},
		"the caller, at once":     {false, time.Nanosecond, time.Nanosecond},
		"the caller, in between":  {true, 15 * ms, 15 * ms},
		"the caller, at its time": {true, 100 * ms, 100 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := holding
				c.Bulkhead.Limit, c.Bulkhead.Queue, c.Bulkhead.MaxWait, c.Bulkhead.Linger = 1, 1, time.Second, 0
				d := stanch.Must(stanch.New("d", c))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel > 0 {
					time.AfterFunc(tt.cancel, cancel)
				}
				began := time.Now()
				go stanch.Do(ctx, d, func(ctx context.Context) (int, error) {
					if tt.late {
						time.Sleep(10 * ms) // virtual
					}
					new(stanch.Held).Hold(ctx, ctx)
					return 0, nil
				})
				synctest.Wait()
				if _, err := stanch.Do(t.Context(), d, nothing); err != nil || time.Since(began) != tt.want {
					t.Errorf("%v after %v, want a place after %v", err, time.Since(began), tt.want)
				}
				held(t, d, 0, 0)
			})
		})
	}
}

// A stream's place lasts as long as its life, not as its attempt, and never
// lingers.
func TestForgottenStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", holding))
		life, end := context.WithCancel(t.Context())
		var h stanch.Held
		stanch.Do(t.Context(), d, func(ctx context.Context) (int, error) { h.HoldOpen(ctx, life); return 0, nil })
		time.Sleep(time.Hour) // virtual
		held(t, d, 1, 0)
		end()
		synctest.Wait()
		held(t, d, 0, 0)
		h.Release() // too late
		held(t, d, 0, 0)
	})
}

// The zero value, one outside of a call and one without a place hold nothing.
func TestHeldNothing(t *testing.T) {
	var h stanch.Held
	h.Release()
	h.Hold(t.Context(), t.Context())
	h.Release()
	bounded := stanch.Must(stanch.New("bounded", cfg(func(c *stanch.Config) { c.Timeout.Attempt = time.Hour })))
	ctx, _ := stanch.Do(t.Context(), bounded, func(ctx context.Context) (context.Context, error) { h.Hold(ctx, ctx); return ctx, nil })
	if ctx.Err() != nil {
		t.Error("the context ended with the call")
	}
	if h.Release(); ctx.Err() == nil {
		t.Error("the context did not end with the release")
	}
}

// Held costs nothing beside what holds it, and no timer.
func TestHeldAllocatesNothing(t *testing.T) {
	d := everything()
	var all [1100]stanch.Held
	n := 0
	if got := testing.AllocsPerRun(1000, func() {
		h := &all[n]
		n++
		stanch.Do(context.Background(), d, func(ctx context.Context) (int, error) { h.Hold(ctx, ctx); return 0, nil })
		h.Release()
	}); got > 1 {
		t.Errorf("%v allocations, want at most 1", got)
	}
}

// Given is what the deadline says, without an attempt nothing.
func TestGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", holding))
		free := stanch.Must(stanch.New("free", cfg(func(c *stanch.Config) { c.Bulkhead.Limit = 1 })))
		soon, cancel := context.WithTimeout(t.Context(), 70*ms)
		defer cancel()
		for name, tt := range map[string]struct {
			ctx  context.Context
			d    *stanch.Dependency
			want time.Duration
		}{
			"the attempt's own":  {t.Context(), d, 100 * ms},
			"the caller's":       {soon, d, 70 * ms},
			"only the caller's":  {soon, free, 70 * ms},
			"none":               {t.Context(), free, 0},
			"not of any attempt": {soon, stanch.Must(stanch.New("nothing", stanch.Config{})), 0},
		} {
			stanch.Do(tt.ctx, tt.d, func(ctx context.Context) (int, error) {
				if got, ok := stanch.Given(ctx); got != tt.want || ok != (tt.want > 0) {
					t.Errorf("%s: %v, %v; want %v", name, got, ok, tt.want)
				}
				return 0, nil
			})
		}
	})
}

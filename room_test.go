package stanch_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stanch-go/stanch"
)

// In a Room a call allocates nothing, be it one of Do or of Ask.
func TestARoomIsEnough(t *testing.T) {
	d := everything()
	rooms := make([]stanch.Room, 2010)
	n := 0
	room := func() *stanch.Room {
		r := &rooms[n]
		n++
		r.Context = context.Background()
		return r
	}
	if got := testing.AllocsPerRun(1000, func() { stanch.Do(room(), d, nothing) }); got > 0 {
		t.Errorf("Do: %v allocations, want none", got)
	}
	if got := testing.AllocsPerRun(1000, func() { stanch.Ask(room(), d, nothing) }); got > 0 {
		t.Errorf("Ask: %v allocations, want none", got)
	}
}

// Only one attempt gets the room: what the first one left behind may still look
// at its context while others run, in the same call or in one that should have
// had a room of its own.
func TestARoomIsForOneAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := holding
		c.Retry = retrying(nil).Retry
		d := stanch.Must(stanch.New("d", c))
		room := &stanch.Room{Context: t.Context()}
		var seen []context.Context
		for range 2 {
			stanch.Do(room, d, func(ctx context.Context) (int, error) {
				for i, before := range seen {
					if before == ctx || before.Err() == nil {
						t.Errorf("attempt %d has the context of attempt %d, or that has not ended", len(seen)+1, i+1)
					}
				}
				if ctx.Err() != nil {
					t.Error("an attempt begins with a context that has ended")
				}
				seen = append(seen, ctx)
				return 0, errLost
			})
		}
		if len(seen) < 4 {
			t.Errorf("%d attempts, want those of two calls", len(seen))
		}
		held(t, d, 0, 0)
	})
}

// Where nothing bounds an attempt its context is the caller's, room or not.
func TestARoomIsTheCallersContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
	room := &stanch.Room{Context: ctx}
	for _, d := range []*stanch.Dependency{stanch.Must(stanch.New("nothing", stanch.Config{})), everything()} {
		stanch.Do(room, d, func(ctx context.Context) (int, error) {
			if ctx.Value(key{}) != "value" || ctx.Err() != nil {
				t.Errorf("%s: not the caller's context", d.Name())
			}
			return 0, nil
		})
	}
	cancel()
	if _, err := stanch.Do(room, everything(), nothing); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

type key struct{}

// With Again the attempts of all its calls have one room.
func TestARoomIsEnoughAgain(t *testing.T) {
	d := everything()
	room := &stanch.Room{Context: context.Background(), Again: true}
	if got := testing.AllocsPerRun(1000, func() { stanch.Do(room, d, nothing) }); got > 0 {
		t.Errorf("%v allocations, want none", got)
	}
}

// An attempt that is still held, or of which a holder is only just letting go on
// another goroutine, keeps the room to itself. (With one mark for all that is over,
// the next call took the room of an attempt that was not quite.)
func TestARoomIsNotUsedAgainWhileHeld(t *testing.T) {
	d := stanch.Must(stanch.New("d", holding))
	room := &stanch.Room{Context: t.Context(), Again: true}
	for range 1000 {
		var release func()
		var first context.Context
		stanch.Do(room, d, func(ctx context.Context) (int, error) {
			first, release = ctx, stanch.Hold(ctx)
			return 0, nil
		})
		var done sync.WaitGroup
		done.Go(release)
		stanch.Do(room, d, func(ctx context.Context) (int, error) {
			if ctx == first || ctx.Err() != nil {
				t.Error("the room of an attempt that is held was used again")
			}
			return 0, nil
		})
		done.Wait()
		*room = stanch.Room{Context: t.Context(), Again: true}
	}
	held(t, d, 0, 0)
}

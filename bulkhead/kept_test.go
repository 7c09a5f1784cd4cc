package bulkhead

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// keeper holds a permit, and gives it back when asked if it has no use for it.
type keeper struct {
	Kept
	b       *Bulkhead
	useless bool
	asked   int
}

func (k *keeper) Recall() {
	k.asked++
	if k.useless {
		k.giveBack()
	}
}

func (k *keeper) giveBack() {
	k.b.Unkeep(&k.Kept)
	k.b.ReleaseAt(0)
}

func keep(b *Bulkhead, until int64) *keeper {
	if !b.TryAcquireAt(0) {
		panic("no permit")
	}
	k := &keeper{b: b}
	b.Keep(&k.Kept, k, until)
	return k
}

// Two permits, of which one is kept until 100 ms. Each row does something and
// tells how often the holder has been asked then.
func TestHoldersAreAskedWhenItMatters(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(b *Bulkhead, k *keeper)
		want int
	}{
		"a permit is free":         {func(b *Bulkhead, _ *keeper) { b.TryAcquireAt(0) }, 0},
		"none is free":             {func(b *Bulkhead, _ *keeper) { b.TryAcquireAt(0); b.TryAcquireAt(0) }, 1},
		"statistics":               {func(b *Bulkhead, _ *keeper) { b.StatsAt(0) }, 1},
		"an answer":                {func(b *Bulkhead, _ *keeper) { b.AliveAt(100*ms - 1) }, 0},
		"an answer, the time over": {func(b *Bulkhead, _ *keeper) { b.AliveAt(100 * ms) }, 1},
		"only once": {func(b *Bulkhead, _ *keeper) {
			b.TryAcquireAt(0)
			b.TryAcquireAt(0)
			b.TryAcquireAt(0)
			b.AliveAt(200 * ms)
		}, 1},
		"not when given back": {func(b *Bulkhead, k *keeper) { k.giveBack(); b.StatsAt(0) }, 0},
	} {
		for kind, b := range both(2, Config{}) {
			k := keep(b, 100*ms)
			if tt.do(b, k); k.asked != tt.want {
				t.Errorf("%s, %s: asked %d times, want %d", name, kind, k.asked, tt.want)
			}
		}
	}
}

// What a holder gives back when it is asked goes to whoever needs it.
func TestUselessPermitsServeOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for kind, b := range both(1, Config{Queue: 1, MaxWait: time.Second}) {
			k := keep(b, clock.Never)
			k.useless = true
			if !b.TryAcquire() {
				t.Errorf("%s: refused", kind)
			}
			// Somebody waits already when the permit is kept.
			waits := acquire(t.Context(), b, clock.Never)
			synctest.Wait()
			b.Keep(&k.Kept, k, clock.Never)
			if got := <-waits; got != (ended{0, nil}) || k.asked != 2 {
				t.Errorf("%s: asked %d times, the wait %v", kind, k.asked, got)
			}
			b.Release()
		}
		pool := must(NewPool(1))
		other := must(pool.Share("other", Share{}))
		k := keep(must(pool.Share("slow", Share{})), clock.Never)
		if k.useless = true; !other.TryAcquire() {
			t.Error("the other share is refused")
		}
	})
}

// A call that was given up some time ago lingers from then on.
func TestAbandonedBefore(t *testing.T) {
	for kind, b := range both(3, Config{Linger: linger}) {
		for range 3 {
			b.TryAcquireAt(0)
		}
		b.AbandonedAt(0, 100*ms)
		if s := b.StatsAt(100 * ms); s.InFlight != 2 || s.Lingering != 0 {
			t.Errorf("%s: lingered enough before: %+v", kind, s)
		}
		b.AbandonAt(140 * ms)
		b.AbandonedAt(110*ms, 150*ms)
		for _, look := range []struct{ at, want int }{{209, 2}, {210, 1}, {239, 1}, {240, 0}} {
			if s := b.StatsAt(int64(look.at) * ms); s.Lingering != look.want {
				t.Errorf("%s: %d linger at %d ms, want %d", kind, s.Lingering, look.at, look.want)
			}
		}
	}
}

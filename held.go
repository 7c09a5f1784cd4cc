package stanch

import (
	"context"
	"sync/atomic"

	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/internal/clock"
)

// Hold keeps what the current attempt holds beyond the return of its function:
// its context, with the deadline, and its place in the bulkhead. It is for
// adapters whose answer is still being read after the function returned, such
// as the body of an HTTP response. release must be called when it has been
// read; calling it again does nothing. After several Holds all must be
// released. When the function panics nothing is held any longer. Outside of a
// guarded call, and after its function has returned, Hold does nothing.
func Hold(ctx context.Context) (release func()) {
	h := new(Held)
	h.Hold(ctx, nil)
	return h.Release
}

// HoldOpen is Hold for what begins with the answer and has no length of its own,
// such as a stream or a tunnel. The time limit was for the answer: when it has
// passed by the time of release, the place is free all the same, and does not
// linger as that of an attempt which was given up. The attempt's context still
// ends in time: what is held open must not hang on it.
func HoldOpen(ctx context.Context) (release func()) {
	h := new(Held)
	h.HoldOpen(ctx, nil)
	return h.Release
}

// Held does what Hold and HoldOpen do, as a part of what is held: it allocates
// nothing of its own, and survives a reader that forgets to release. The zero
// value holds nothing. Hold or HoldOpen is called once, before any Release; it
// must not be copied after that. Release is safe for concurrent use.
type Held struct{ held held }

// Hold holds as the function Hold does, but no longer than life lasts: then
// nothing can be read any more, and whoever did not release what is held must not
// keep the place for ever. Nothing watches life before somebody needs the place;
// nil is for ever.
func (h *Held) Hold(ctx, life context.Context) {
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok && a.hold() {
		h.held.begin(a, life)
	}
}

// HoldOpen is Hold in the manner of the function HoldOpen.
func (h *Held) HoldOpen(ctx, life context.Context) {
	if a, ok := ctx.Value(attemptKey{}).(*attempt); ok {
		a.open.Store(true)
	}
	h.Hold(ctx, life)
}

// Release lets go. Calling it again does nothing.
func (h *Held) Release() { h.held.release() }

// held is a holder of an attempt.
type held struct {
	a    *attempt // nil: of none
	life context.Context
	kept bulkhead.Kept
	// unwatch ends the watch over life, where there is one. It is &released
	// after the release.
	unwatch atomic.Pointer[func() bool]
}

var released = func() bool { return false }

func (h *held) begin(a *attempt, life context.Context) {
	h.a, h.life = a, life
	if life == nil || a.d == nil {
		return
	}
	until := int64(clock.Never)
	if !a.open.Load() {
		until = a.End()
	}
	a.d.bulkhead.Keep(&h.kept, h, until)
}

func (h *held) release() {
	if h.a == nil {
		return
	}
	unwatch := h.unwatch.Swap(&released)
	if unwatch == &released {
		return
	}
	if unwatch != nil {
		(*unwatch)()
	} else if h.life != nil && h.a.d != nil {
		h.a.d.bulkhead.Unkeep(&h.kept)
	}
	if h.a.holders.Add(-1) == -1 {
		h.a.letGo()
	}
}

// Recall implements bulkhead.Holder. Somebody needs the place: from now on life
// is watched.
func (h *held) Recall() {
	if h.life.Err() != nil {
		h.release()
		return
	}
	unwatch := context.AfterFunc(h.life, h.release)
	if !h.unwatch.CompareAndSwap(nil, &unwatch) {
		unwatch()
	}
}

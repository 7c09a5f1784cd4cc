package stanchhttp

import (
	"context"
	"time"

	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/clock"
)

// A Rewinder is the body of a request that has GetBody only for as long as it
// can keep what was read of it, and knows whether that is so.
type Rewinder interface {
	// Rewinds reports whether GetBody would give all of the body now.
	Rewinds() bool
}

type lifeKey struct{}

// WithDeadline returns a copy of parent for a request to a [Transport] with
// Options.Streams. It ends at d, which is when the header of the answer must be
// there; the body lasts as long as parent. cancel may be called as soon as the
// answer has come.
func WithDeadline(parent context.Context, d time.Time) (ctx context.Context, cancel context.CancelFunc) {
	h := &headerTime{life: parent}
	end := clock.Real.Instant(d)
	if earlier, ok := parent.Deadline(); ok && earlier.Before(d) {
		end = clock.Never
	}
	h.Init(parent, &headerTimes, end)
	return h, h.Cancel
}

// headerTime ends when the header of an answer must be there.
type headerTime struct {
	deadline.Context
	life context.Context
}

var headerTimes = deadline.Kind{Clock: clock.Real}

func (h *headerTime) Value(key any) any {
	if _, ok := key.(lifeKey); ok {
		return h.life
	}
	return h.Context.Value(key)
}

// life returns the context that bounds the body of a streaming answer.
func (x *exchange) life() context.Context {
	ctx := x.req.Context()
	if life, ok := ctx.Value(lifeKey{}).(context.Context); ok {
		return life
	}
	return ctx
}

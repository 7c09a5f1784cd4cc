package stanchhttp

import (
	"context"
	"time"
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
	return context.WithDeadline(context.WithValue(parent, lifeKey{}, parent), d)
}

// life returns the context that bounds the body of a streaming answer.
func (x *exchange) life() context.Context {
	ctx := x.req.Context()
	if life, ok := ctx.Value(lifeKey{}).(context.Context); ok {
		return life
	}
	return ctx
}

// headerOnly returns a context that ends with the attempt's until answered is
// called, and with life before and after. The one that ended it is its cause.
func headerOnly(attempt, life context.Context) (inner context.Context, answered func(), stop context.CancelFunc) {
	inner, end := context.WithCancelCause(context.WithoutCancel(attempt))
	limit := context.AfterFunc(attempt, func() { end(context.Cause(attempt)) })
	left := context.AfterFunc(life, func() { end(context.Cause(life)) })
	stop = func() {
		limit()
		left()
		end(nil)
	}
	return inner, func() { limit() }, stop
}

package stanchhttp

import (
	"context"
	"time"

	"github.com/stanch-go/stanch/deadline"
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

// A streaming context lasts as long as life, and knows what the attempt knows.
type streaming struct {
	context.Context
	attempt context.Context
}

// Value looks at the attempt first only for what the caller may have too: package
// context must find the one that ends.
func (s *streaming) Value(key any) any {
	if _, ok := key.(deadline.AttemptKey); !ok {
		if v := s.Context.Value(key); v != nil {
			return v
		}
	}
	return s.attempt.Value(key)
}

// headerOnly returns a context that ends with the attempt's until answered is
// called, and with life before and after. The one that ended it is its cause.
// An attempt ends with life or at its deadline, for which a timer is enough.
func headerOnly(attempt, life context.Context) (inner context.Context, answered func(), stop context.CancelFunc) {
	ending, end := context.WithCancelCause(life)
	inner, stop = &streaming{ending, attempt}, func() { end(nil) }
	limit, ok := attempt.Deadline()
	if !ok {
		return inner, func() {}, stop
	}
	timer := time.AfterFunc(time.Until(limit), func() {
		<-attempt.Done() // at any moment; only then it has a cause
		end(context.Cause(attempt))
	})
	return inner, func() { timer.Stop() }, stop
}

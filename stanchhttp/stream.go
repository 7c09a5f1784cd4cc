package stanchhttp

import "context"

// A Rewinder is the body of a request that has GetBody only for as long as it
// can keep what was read of it, and knows whether that is so.
type Rewinder interface {
	// Rewinds reports whether GetBody would give all of the body now.
	Rewinds() bool
}

// headerOnly returns a context that ends with the attempt's until answered is
// called, and with the caller's before and after. The one that ended it is its
// cause.
func headerOnly(attempt, caller context.Context) (inner context.Context, answered func(), stop context.CancelFunc) {
	inner, end := context.WithCancelCause(context.WithoutCancel(attempt))
	limit := context.AfterFunc(attempt, func() { end(context.Cause(attempt)) })
	left := context.AfterFunc(caller, func() { end(context.Cause(caller)) })
	stop = func() {
		limit()
		left()
		end(nil)
	}
	return inner, func() { limit() }, stop
}

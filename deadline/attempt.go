package deadline

import "context"

// AttemptKey is the context key of the number that WithAttempt stores, an int,
// for contexts that answer it themselves.
type AttemptKey struct{}

// WithAttempt returns a context for work that is done for the n-th attempt of
// its caller. Guarded calls made with it are not retried when n is above 1, so
// that the tries of several layers add up instead of multiplying.
func WithAttempt(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, AttemptKey{}, n)
}

// AttemptOf returns which attempt of a caller ctx belongs to, counted from 1,
// and 0 when nothing is known of one.
func AttemptOf(ctx context.Context) int {
	n, _ := ctx.Value(AttemptKey{}).(int)
	return n
}

package quota

import (
	"errors"
	"math"
	"time"
)

// A Decision is the answer to a request. Its first four fields are those of
// package ratelimit.
type Decision struct {
	// OK says that the request was admitted.
	OK bool
	// RetryAfter is, for a refused request, how long to wait before the same may
	// be admitted: until the bucket holds enough, or until this instance asks the
	// store again. [Never] if that cannot be; 0 for an admitted one.
	RetryAfter time.Duration
	// Remaining is the cost that would be admitted now without asking anybody:
	// what the bucket holds, or for [Leased] what is left of the slice. +Inf
	// without a limit.
	Remaining float64
	// ResetAfter is how long it takes, if nobody asks, until the bucket is full,
	// as far as this instance knows.
	ResetAfter time.Duration
	// Err says why the store had no part in the decision: it wraps [ErrStore], or
	// it is the error of a context that ended, which refuses the request. nil if
	// the decision is the quota's own.
	Err error
}

// Never is the RetryAfter of a request that cannot be admitted, however long one
// waits. It is no time to put into a header.
const Never time.Duration = math.MaxInt64

var (
	// ErrStore says that the store did not answer, or was not asked because it
	// did not answer before. The decision is as OnFailure says.
	ErrStore = errors.New("quota: no answer from the store")
	// ErrTimeout is the cause of the context that a store is given when it did
	// not answer within Timeout: then the store is slow, and the caller is not to
	// blame.
	ErrTimeout = errors.New("quota: timeout")
)

// unlimited is the decision of a quota that is off.
func unlimited(cost float64) Decision {
	if !(cost >= 0) {
		return Decision{RetryAfter: Never, Remaining: math.Inf(1)}
	}
	return Decision{OK: true, Remaining: math.Inf(1)}
}

// Package clock is the one place where this module tells the time and waits in it.
//
// Mechanisms are given the time and never wait. What must wait (a backoff, a
// place in a bulkhead's queue) waits through a Clock, so that the same code
// runs against real timers in production and against virtual time in the
// simulator. Two rules keep that possible: never hold a lock across a wait,
// and never wait on anything but the clock.
package clock

import (
	"context"
	"math"
	"time"
)

// Never is the instant that does not come: a wait until Never has no limit of
// its own and ends by a wake or with its context.
const Never = math.MaxInt64

// A Clock tells monotonic time, in nanoseconds from an arbitrary origin, and
// lets the calling goroutine wait in it. Its methods are safe for concurrent use.
type Clock interface {
	// Now returns the current instant.
	Now() int64
	// Wall returns the instant as a time.Time, for deadlines that other
	// packages read.
	Wall(instant int64) time.Time
	// Instant is the inverse of Wall.
	Instant(t time.Time) int64
	// Sleep waits until the instant and returns nil, or returns ctx.Err() as
	// soon as ctx ends.
	Sleep(ctx context.Context, until int64) error
	// NewWaiter returns a waiter for the calling goroutine, for one wake.
	NewWaiter() Waiter
}

// A Waiter lets one goroutine wait to be woken by another.
type Waiter interface {
	// Wait blocks until Wake is called, the instant is reached or ctx ends,
	// whichever is first, and says which. After an instant was reached it may
	// be called again.
	Wait(ctx context.Context, until int64) Ended
	// Wake ends the wait. It never blocks, may come before Wait, and may be
	// called at most once.
	Wake()
	// Renew makes it what NewWaiter returns, for the calling goroutine. Only who
	// knows that nobody can wake it any more may do so.
	Renew()
}

// Ended says what ended a wait.
type Ended uint8

const (
	Woken    Ended = iota // by Wake
	Expired               // the instant was reached
	Canceled              // the context ended
)

// RoundUp returns the least multiple of step that is not below d, or d itself if
// that is too long to represent.
func RoundUp(d, step time.Duration) time.Duration {
	if rest := d % step; rest > 0 && d <= math.MaxInt64-step {
		return d + step - rest
	}
	return d
}

// Add returns t + d, saturating at Never for waits too long to represent.
// A negative d is taken as 0.
func Add(t int64, d time.Duration) int64 {
	if d <= 0 {
		return t
	}
	if t > Never-int64(d) {
		return Never
	}
	return t + int64(d)
}

// Between returns to - from, 0 if time went backwards, saturating.
func Between(from, to int64) time.Duration {
	switch d := to - from; {
	case to <= from:
		return 0
	case d < 0:
		return math.MaxInt64
	default:
		return time.Duration(d)
	}
}

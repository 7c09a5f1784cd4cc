package quota

import (
	"context"
	"time"
)

// A Store keeps the buckets that all instances draw on. Each Take is one atomic
// step on the bucket of its key, by the clock of the store.
type Store interface {
	// Take carries out the takes, in one round trip if it can, and writes the
	// answer to each into the grant of the same index. After an error any of them
	// may have been carried out, and the same takes may be sent again: the ID
	// keeps them from being charged twice. It returns soon after ctx ends.
	Take(ctx context.Context, takes []Take, grants []Grant) error
}

// A Take asks for a part of a key's quota. First Return is put back, then the
// grant is at least Need, or nothing, and at most Want.
type Take struct {
	// Key names the bucket. Buckets are full when they are first used.
	Key string
	// ID marks the Take, among all of its key. One that arrives again is answered
	// as the first time. Empty: it must not be sent twice.
	ID string
	// Limit is that of the bucket now. It comes with each Take, so that a store
	// has no settings and a change is seen at once.
	Limit Limit
	// Return is the cost that was taken and not spent. A bucket never holds more
	// than its Burst: what would spill is lost.
	Return float64
	// Need is the least that is of use; 0 if nobody waits.
	Need float64
	// Want is the most. What is above Need is granted in proportion: in full if
	// the bucket holds what flows into it in a Period, and never more than half of
	// what it holds. It is granted in units of 1. Less than Need counts as Need.
	Want float64
	// Period is the time for which Want is meant to last. 0: it is no matter.
	Period time.Duration
	// Remember is how long the ID is known after the Take was carried out.
	Remember time.Duration
}

// A Limit is the size of a bucket and what flows into it. Both must be positive,
// and Window too.
type Limit struct {
	// Rate is the cost that flows into the bucket per Window, at most up to Burst.
	Rate   float64
	Window time.Duration
	Burst  float64
}

// A Grant is the answer to a Take.
type Grant struct {
	// Granted is the cost that was taken from the bucket.
	Granted float64
	// Remaining is what the bucket holds after it.
	Remaining float64
	// RetryAfter is how long it takes until Need would be granted, if it was not.
	RetryAfter time.Duration
	// ResetAfter is how long it takes, if nobody asks, until the bucket is full.
	ResetAfter time.Duration
}

// perNano is what flows in per nanosecond.
func (l Limit) perNano() float64 { return l.Rate / float64(l.Window) }

// changed tells whether the answer has to be remembered: what changed nothing may
// be tried anew.
func (t *Take) changed(g Grant) bool { return t.ID != "" && (g.Granted > 0 || t.Return > 0) }

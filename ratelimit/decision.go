package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// A Limiter decides whether something of a cost may begin. All limiters of this
// package except [Keyed] are one.
type Limiter interface {
	// AllowAt admits the cost now, or refuses it and changes nothing.
	AllowAt(now int64, cost float64) Decision
	// SetAt changes the limits, or returns the faults of the configuration and
	// changes nothing. The algorithm cannot be changed.
	SetAt(now int64, cfg Config) error
}

// A Decision is the answer to a request and the state of the limiter after it.
type Decision struct {
	// OK says that the request was admitted.
	OK bool
	// RetryAfter is, for a refused request, how long it takes until the same
	// would be admitted if nobody else asked, to the nanosecond. [Never] if that
	// cannot be; 0 for an admitted one.
	RetryAfter time.Duration
	// Remaining is the cost that would be admitted at once after this request.
	// It is +Inf without a limit.
	Remaining float64
	// ResetAfter is how long it takes, if nobody asks, until the limiter is as
	// if it had never been used.
	ResetAfter time.Duration
}

// Never is the RetryAfter of a request that cannot be admitted, however long one
// waits. It is no time to put into a header.
const Never time.Duration = math.MaxInt64

var (
	// ErrLimited says that the limit is reached, and that the turn would come
	// later than MaxWait allows.
	ErrLimited = errors.New("ratelimit: limit reached")
	// ErrQueueFull says that as many wait for their turn as may.
	ErrQueueFull = errors.New("ratelimit: queue full")
	// ErrDeadline says that the turn would come after the deadline of the
	// caller's context, so that it is no use to wait. It is also a
	// context.DeadlineExceeded.
	ErrDeadline = fmt.Errorf("ratelimit: the turn would come too late: %w", context.DeadlineExceeded)
)

// unlimited is the decision of a limiter that is off. A cost that makes no sense
// is refused all the same: it is a fault of the caller.
func unlimited(cost float64) Decision {
	if !(cost >= 0) {
		return Decision{RetryAfter: Never, Remaining: math.Inf(1)}
	}
	return Decision{OK: true, Remaining: math.Inf(1)}
}

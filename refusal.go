package stanch

import (
	"context"
	"fmt"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// Reason says why a call was refused, or why a retry was not begun. Each is an
// error, so that errors.Is finds it through every layer, and its Label is the
// value that metrics, headers and reports use for it.
type Reason string

const (
	ErrBreakerOpen  Reason = "breaker_open"  // the dependency kept failing
	ErrBulkheadFull Reason = "bulkhead_full" // as many calls as may run at once do
	ErrQueueTimeout Reason = "queue_timeout" // none of them ended while this one waited
	ErrBudget       Reason = "budget"        // all callers together have retried enough
	ErrDeadline     Reason = "deadline"      // what is left of the time is too short
	ErrRateLimited  Reason = "rate_limited"  // as many calls as may begin in this time did
	ErrQuota        Reason = "quota"         // as many as all instances together may admit began
	ErrShed         Reason = "shed"          // others are more important while the load is high
	ErrNested       Reason = "nested"        // an alternative called a guarded dependency
)

var reasonText = map[Reason]string{
	ErrBreakerOpen:  "the circuit breaker is open",
	ErrBulkheadFull: "the bulkhead is full",
	ErrQueueTimeout: "no place in the bulkhead became free in time",
	ErrBudget:       "the retry budget of this client is spent",
	ErrDeadline:     "the remaining time does not allow another attempt",
	ErrRateLimited:  "the rate limit of this client is reached",
	ErrQuota:        "the quota of this client is spent",
	ErrShed:         "the load is too high",
	ErrNested:       "a fallback must not call a guarded dependency",
}

// Error returns the reason in words.
func (r Reason) Error() string { return "stanch: " + r.text() }

// Label returns the reason as one lower-case word for metrics and headers.
func (r Reason) Label() string { return string(r) }

func (r Reason) text() string {
	if t, ok := reasonText[r]; ok {
		return t
	}
	return string(r)
}

// A Refusal is the one error with which this module says no: it did not call
// the dependency, or did not call it again. errors.Is finds both the Reason and
// everything in Cause.
type Refusal struct {
	Dependency string // its name
	Reason     Reason // of this call, or of the retry that was not begun
	// RetryAfter is when another call may be let through, counted from the
	// refusal and rounded up to 10 ms; 0 when that is not known.
	RetryAfter time.Duration
	// Cause is the last real error of the dependency within the same call, nil
	// when no attempt was made.
	Cause error
}

func (r *Refusal) Error() string {
	s := fmt.Sprintf("stanch: %s: %s", r.Dependency, r.Reason.text())
	if r.RetryAfter > 0 {
		s += fmt.Sprintf(" (try again in %v)", r.RetryAfter)
	}
	if r.Cause != nil {
		s += ": " + r.Cause.Error()
	}
	return s
}

// Unwrap returns the Reason and the Cause.
func (r *Refusal) Unwrap() []error {
	if r.Cause == nil {
		return []error{r.Reason}
	}
	return []error{r.Reason, r.Cause}
}

// turnAway refuses a call that an open breaker would refuse in any case, before
// anything is prepared for it.
func (d *Dependency) turnAway(ctx context.Context) error {
	if ctx.Err() != nil {
		return nil // begin says so
	}
	now := d.clock.Now()
	after, refused := d.breaker.RefuseAt(now)
	if !refused {
		return nil
	}
	if d.observer != nil {
		return d.observeTurnedAway(ctx, now, after)
	}
	return d.refusal(ErrBreakerOpen, after, nil)
}

func (d *Dependency) observeTurnedAway(ctx context.Context, now int64, after time.Duration) error {
	c := call{d: d, ctx: ctx, began: now, now: now}
	defer c.close()
	return c.end(c.refuse(ErrBreakerOpen, after))
}

// refusalStep is the grain of Refusal.RetryAfter: coarse enough that a refusal
// under load is the one made a moment ago, and allocates nothing.
const refusalStep = 10 * time.Millisecond

// refusal returns the last one again if it says the same.
func (d *Dependency) refusal(reason Reason, after time.Duration, cause error) *Refusal {
	if last := d.lastRefusal.Load(); cause == nil && last != nil && last.Reason == reason && last.tells(after) {
		return last
	}
	return d.newRefusal(reason, after, cause)
}

func (d *Dependency) newRefusal(reason Reason, after time.Duration, cause error) *Refusal {
	r := &Refusal{d.name, reason, clock.RoundUp(after, refusalStep), cause}
	if cause == nil {
		d.lastRefusal.Store(r)
	}
	return r
}

// tells reports whether RetryAfter is after, rounded up.
func (r *Refusal) tells(after time.Duration) bool {
	return uint64(r.RetryAfter-after) < uint64(refusalStep)
}

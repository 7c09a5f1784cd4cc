package stanch

import (
	"context"
	"errors"
	"time"

	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/ratelimit"
)

// A pacer is a limiter that can make a caller wait for its turn.
type pacer interface {
	WaitAt(ctx context.Context, clk clock.Clock, now int64, cost float64) (ratelimit.Decision, error)
}

// pace asks the rate limit for the next attempt. Where the limit lets callers
// wait, it waits for its turn, unless that leaves no useful attempt.
func (c *call) pace() (time.Duration, error) {
	d := c.d
	said := d.rate.AllowAt(c.now, 1)
	if said.OK {
		return 0, nil
	}
	line, waits := d.rate.(pacer)
	switch {
	case said.RetryAfter == ratelimit.Never:
		return 0, c.refuse(ErrRateLimited, 0)
	case !waits || said.RetryAfter > d.cfg.Rate.MaxWait:
		return 0, c.refuse(ErrRateLimited, said.RetryAfter)
	case !c.time.Fits(c.now, said.RetryAfter):
		return 0, c.refuse(ErrDeadline, said.RetryAfter)
	}
	before := c.now
	said, err := line.WaitAt(c.ctx, d.clock, c.now, 1)
	c.now = d.clock.Now()
	waited := time.Duration(c.now - before)
	c.limit, c.bound = c.time.Attempt(c.now)
	switch {
	case err == nil && c.time.Fits(c.now, 0):
		return waited, nil
	case err == nil, errors.Is(err, ratelimit.ErrDeadline):
		return waited, c.refuse(ErrDeadline, said.RetryAfter)
	case errors.Is(err, ratelimit.ErrLimited), errors.Is(err, ratelimit.ErrQueueFull):
		return waited, c.refuse(ErrRateLimited, said.RetryAfter)
	}
	c.result, c.verdict.Outcome = callerResult(err), outcome.Ignored
	return waited, err
}

// queue takes a place in the bulkhead, at once if it can, and else waits for one
// no longer than leaves a useful attempt.
func (c *call) queue() (time.Duration, error) {
	d := c.d
	waited, err := d.bulkhead.Acquire(c.ctx, d.clock, c.now, c.time.Latest())
	if waited > 0 {
		c.now = d.clock.Now()
		c.limit, c.bound = c.time.Attempt(c.now)
	}
	switch {
	case err == nil:
		return waited, nil
	case errors.Is(err, bulkhead.ErrFull):
		return waited, c.refuse(ErrBulkheadFull, 0)
	case errors.Is(err, bulkhead.ErrQueueTimeout):
		return waited, c.refuse(ErrQueueTimeout, 0)
	}
	c.result, c.verdict.Outcome = callerResult(err), outcome.Ignored
	return waited, err
}

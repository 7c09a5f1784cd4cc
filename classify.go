package stanch

import (
	"context"
	"errors"

	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/outcome"
)

// ErrTimeout is the cause (context.Cause) of an attempt's context that ended
// because the dependency's own time limit was reached. It is a net.Error, and
// errors.Is takes it for context.DeadlineExceeded: many libraries, net/http
// among them, return the cause in place of that.
var ErrTimeout error = timeout{}

type timeout struct{}

func (timeout) Error() string        { return "stanch: no answer within the attempt's time limit" }
func (timeout) Timeout() bool        { return true }
func (timeout) Temporary() bool      { return true }
func (timeout) Is(target error) bool { return target == context.DeadlineExceeded }

// classify decides what the end of the attempt says about the dependency. What
// only the call can know comes first: whose deadline it was, whether the caller
// went away, whether a guard further in refused. The classifier judges the rest.
func (c *call) classify(err error) (outcome.Verdict, Result) {
	if err == nil {
		if c.now > c.limit {
			return outcome.Verdict{Outcome: outcome.Failure}, ResultLate
		}
		return outcome.Verdict{}, ResultOK
	}
	if _, ok := errors.AsType[*Refusal](err); ok {
		return outcome.Verdict{Outcome: outcome.Ignored}, ResultRefused
	}
	if ended := c.ctx.Err(); ended != nil && (errors.Is(err, context.Canceled) || ended == context.Canceled && errors.Is(err, context.Cause(c.ctx))) {
		return outcome.Verdict{Outcome: outcome.Ignored}, callerResult(ended)
	}
	if c.now >= c.limit && (timedOut(err) || errors.Is(err, context.Cause(c.ctx))) {
		// The caller's deadline is only the dependency's fault when there is no
		// other limit that could have shown it to be slow.
		if c.bound == deadline.CallerDeadline && c.d.cfg.Timeout.Attempt > 0 {
			return outcome.Verdict{Outcome: outcome.Ignored}, ResultCallerDeadline
		}
		// The classifier may know that the request must not be sent twice.
		return outcome.Verdict{Outcome: outcome.Failure, Retry: c.d.classify(err).Retry}, ResultTimeout
	}
	v := c.d.classify(err)
	switch v.Outcome {
	case outcome.Success:
		return v, ResultAnswer
	case outcome.Ignored:
		return v, ResultExcluded
	}
	return v, ResultError
}

// timedOut reports whether err says that the time was up: a context's, its
// cause, or that of a connection which was given the context's deadline.
func timedOut(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err)
	return ok && t.Timeout()
}

func callerResult(err error) Result {
	if errors.Is(err, context.DeadlineExceeded) {
		return ResultCallerDeadline
	}
	return ResultCallerCanceled
}

// nested reports whether ctx belongs to a running alternative.
func nested(ctx context.Context) bool {
	_, inside := fallback.Inside(ctx)
	return inside
}

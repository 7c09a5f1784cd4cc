package stanch

import (
	"context"
	"time"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
)

// Do calls fn, guarded as d was configured, and returns what fn returned. The
// order is fixed:
//
//	remaining time -> breaker -> rate -> bulkhead -> fn, bounded in time -> release -> record
//	-> worth a retry? time for it? budget? -> backoff, holding nothing -> breaker -> ...
//
// A call that the breaker refuses in any case, because it is open, is refused
// before anything else is looked at but whether the caller is still there. An
// attempt that the guards did not let through returns a *Refusal. When the
// attempts are used up, the dependency's last error is returned as it is.
//
// fn runs on the calling goroutine. It must heed its context: a function that
// ignores it is not interrupted, and Do returns only when fn does.
func Do[T any](ctx context.Context, d *Dependency, fn func(context.Context) (T, error)) (T, error) {
	value, _, err := run(ctx, d, fn)
	return value, err
}

// run is the call path. An attempt lets go of what it holds in judge, the call in
// end; close does what is left of both when fn panics or ends its goroutine.
func run[T any](ctx context.Context, d *Dependency, fn func(context.Context) (T, error)) (T, outcome.Outcome, error) {
	if d.untimed {
		return runUntimed(ctx, d, fn)
	}
	var none T
	if d.breaker != nil && !d.breaker.Admits() {
		if err := d.turnAway(ctx); err != nil {
			return none, outcome.Ignored, err
		}
	}
	c := call{d: d, ctx: ctx}
	defer c.close()
	c.start()
	if err := c.begin(); err != nil {
		return none, c.verdict.Outcome, c.end(err)
	}
	return attempts(&c, fn)
}

// attempts makes one attempt after the other until there is an end.
func attempts[T any](c *call, fn func(context.Context) (T, error)) (T, outcome.Outcome, error) {
	var none T
	for {
		if err := c.admit(); err != nil {
			return none, c.verdict.Outcome, c.end(err)
		}
		c.running = true
		value, failure := fn(c.attemptContext())
		if !c.judge(failure) {
			return value, c.verdict.Outcome, c.end(failure)
		}
		if err := c.again(failure); err != nil {
			return none, c.verdict.Outcome, c.end(err)
		}
	}
}

// call is the state of one call. It lives on the caller's stack.
type call struct {
	d   *Dependency
	ctx context.Context // the caller's

	began int64 // the call
	now   int64 // the last instant read
	time  deadline.Budget

	number   int // attempts begun
	started  int64
	limit    int64 // when the current attempt must end
	bound    deadline.Bound
	attempt  *attempt
	permit   breaker.Permit
	permits  bool // permit is to be resolved
	place    bool // a place in the bulkhead is held
	charged  bool // the budget paid for the attempt that is being prepared
	running  bool // fn has been called, and its end has not been judged
	settled  bool
	returned bool

	wait    time.Duration // the last backoff
	verdict outcome.Verdict
	result  Result
	failure error // the dependency's last error
}

// begin asks whether the call may be made at all.
func (c *call) begin() error {
	if err := c.ctx.Err(); err != nil {
		c.result, c.verdict.Outcome = callerResult(err), outcome.Ignored
		return err
	}
	if nested(c.ctx) {
		return c.refuse(ErrNested, 0)
	}
	if c.d.breakerByCall {
		return c.askBreaker()
	}
	return nil
}

// start begins the call's time.
func (c *call) start() {
	d := c.d
	c.now = d.clock.Now()
	c.began = c.now
	parent := int64(clock.Never)
	if at, ok := c.ctx.Deadline(); ok {
		parent = d.clock.Instant(at)
	}
	c.time = d.cfg.Timeout.Start(c.now, parent)
	c.limit, c.bound = c.time.Attempt(c.now)
}

// admit takes what the next attempt needs, in the one order there is.
func (c *call) admit() error {
	d := c.d
	c.limit, c.bound = c.time.Attempt(c.now)
	if !c.time.Fits(c.now, 0) {
		return c.refuse(ErrDeadline, 0)
	}
	if d.breaker != nil && !d.breakerByCall {
		if err := c.askBreaker(); err != nil {
			return err
		}
	}
	var queued time.Duration
	if d.rate != nil {
		var err error
		if queued, err = c.pace(); err != nil {
			return err
		}
	}
	if d.bulkhead != nil {
		waited, err := c.queue()
		if err != nil {
			return err
		}
		queued += waited
		c.place = true
	}
	c.attempt = nil
	c.number++
	c.started = c.now
	c.charged = false
	if d.observer != nil {
		d.observe(Event{Step: StepAttempt, At: c.now, Attempt: c.number, Wait: queued})
	}
	return nil
}

func (c *call) askBreaker() error {
	permit, ok := c.d.breaker.AllowAt(c.now)
	if !ok {
		return c.refuse(ErrBreakerOpen, c.d.breaker.RetryAfterAt(c.now))
	}
	c.permit, c.permits = permit, true
	return nil
}

// refuse reports that the next attempt is not made. A call whose dependency has
// failed before keeps that verdict, as in refuseRetry.
func (c *call) refuse(reason Reason, after time.Duration) error {
	if c.number == 0 {
		c.result, c.verdict.Outcome = ResultRefused, outcome.Ignored
	}
	if c.d.observer != nil {
		c.d.observe(Event{Step: StepRefused, At: c.now, Attempt: c.number + 1, Reason: reason, Wait: after, Err: c.failure})
	}
	return c.d.refusal(reason, after, c.failure)
}

// judge lets go of what the attempt held, classifies its end and records it. It
// reports whether another attempt is worth it.
func (c *call) judge(failure error) bool {
	c.now = c.d.clock.Now()
	c.release(failure)
	c.verdict, c.result = c.classify(failure)
	c.running = false
	c.record(failure)
	if failure == nil || !c.verdict.Retry || c.number >= c.d.cfg.Retry.Attempts {
		return false
	}
	return deadline.AttemptOf(c.ctx) <= 1 // a retry is not retried: tries of layers must not multiply
}

// release gives back the bulkhead's place and ends the attempt's context,
// unless the function asked to keep both.
func (c *call) release(failure error) {
	a, place := c.attempt, c.place
	c.place = false
	if a != nil && a.keep() {
		if place && failure == nil {
			c.d.bulkhead.AliveAt(c.now) // an answer, though it is still being read
		}
		return
	}
	if place {
		c.d.leave(c.now, c.ending(failure))
	}
	if a != nil {
		a.Cancel()
	}
}

// record tells the breaker, the budget and the observer how the attempt ended.
func (c *call) record(failure error) {
	d := c.d
	took := time.Duration(c.now - c.started)
	if c.permits && !d.breakerByCall {
		c.permits = false
		d.breaker.DoneAt(c.now, c.permit, c.verdict.Outcome, took)
	}
	if d.budget != nil && c.verdict.Outcome != outcome.Ignored {
		d.budget.AttemptAt(c.now, c.verdict.Outcome == outcome.Success)
	}
	if d.observer != nil {
		d.observe(Event{Step: StepAttemptDone, At: c.now, Attempt: c.number, Took: took,
			Outcome: c.verdict.Outcome, Result: c.result, Err: failure})
	}
}

// again decides on another attempt and waits for its time. The wait holds
// nothing, and is not begun when no useful attempt could follow it.
func (c *call) again(failure error) error {
	d := c.d
	c.failure = failure
	wait, ok := d.cfg.Retry.WaitFor(c.number, c.wait, d.rand, c.verdict.After, c.verdict.HasAfter)
	if !ok || !c.time.Fits(c.now, wait) {
		return c.refuseRetry(ErrDeadline, wait)
	}
	if d.breaker != nil && !d.breakerByCall && !d.cfg.Breaker.Dark {
		if after := d.breaker.RetryAfterAt(c.now); after > wait {
			return c.refuseRetry(ErrBreakerOpen, after)
		}
	}
	if d.budget != nil {
		if !d.budget.TakeAt(c.now) {
			return c.refuseRetry(ErrBudget, 0)
		}
		c.charged = true
	}
	c.wait = wait
	if d.observer != nil {
		d.observe(Event{Step: StepBackoff, At: c.now, Attempt: c.number + 1, Wait: wait})
	}
	if err := d.clock.Sleep(c.ctx, clock.Add(c.now, wait)); err != nil {
		c.now = d.clock.Now()
		c.result, c.verdict.Outcome = callerResult(err), outcome.Ignored
		return err
	}
	c.now = d.clock.Now()
	return nil
}

// refuseRetry ends the call with its failed attempt's verdict: the dependency
// did fail, we only did not ask it again.
func (c *call) refuseRetry(reason Reason, after time.Duration) error {
	if c.d.observer != nil {
		c.d.observe(Event{Step: StepRetryRefused, At: c.now, Attempt: c.number + 1, Reason: reason, Wait: after, Err: c.failure})
	}
	return c.d.refusal(reason, after, c.failure)
}

// end settles the whole call.
func (c *call) end(err error) error {
	c.settle(err)
	c.returned = true
	return err
}

// close ends a call that did not come to its end: fn, an observer or the
// classifier panicked, or fn ended its goroutine.
func (c *call) close() {
	if c.returned {
		return
	}
	if c.attempt != nil {
		c.attempt.seize()
	} else if c.place {
		c.d.leave(c.d.clock.Now(), over)
	}
	c.place = false
	if c.settled {
		return
	}
	c.now = c.d.clock.Now()
	c.result, c.verdict = ResultPanic, outcome.Verdict{Outcome: outcome.Failure}
	defer c.settle(nil) // though the observer panics as well
	if c.running {
		c.record(nil)
	}
}

// settle ends what belongs to the whole call. Its last event is told also when
// an observer panics at a transition of the breaker.
func (c *call) settle(err error) {
	c.settled = true
	d := c.d
	if d.observer != nil {
		defer d.observe(Event{Step: StepDone, At: c.now, Attempt: c.number, Took: time.Duration(c.now - c.began),
			Outcome: c.verdict.Outcome, Result: c.result, Err: err})
	}
	if d.budget != nil {
		if c.charged {
			c.charged = false
			d.budget.ReturnAt(c.now)
		}
		if c.number > 0 {
			d.budget.DoneAt(c.now, c.verdict.Outcome == outcome.Success, c.number-1)
		}
	}
	if c.permits { // of the whole call, or of an attempt that did not begin
		c.permits = false
		o := c.verdict.Outcome
		if c.number == 0 || !d.breakerByCall {
			o = outcome.Ignored
		}
		d.breaker.DoneAt(c.now, c.permit, o, time.Duration(c.now-c.began))
	}
}

package inbound

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/ratelimit"
	"github.com/stanch-go/stanch/shed"
)

// An Admission is the right to work on one request, and what its limits said. It
// belongs to the goroutine that serves the request.
type Admission struct {
	c        *Controller
	permit   shed.Permit
	priority shed.Priority
	open     bool
	came     int64
	now      int64 // the last instant read
	until    int64 // clock.Never if there is no end
	by       string
	passed   int
	states   [most]State
}

// A State is what a limit or a quota said of a request, for headers.
type State struct {
	*Terms
	Remaining  float64       // requests of cost 1 that would be admitted now
	ResetAfter time.Duration // until as many as after a long rest would be
}

// Admit decides on a request. It returns a *stanch.Refusal if the request is not
// taken in, or the error of ctx if that was cancelled, also while it waited: for a
// quota's store and in the queue, both for a bounded time. Else the caller must call Done, in a
// defer. Also of a refused request the Admission tells the States.
func (c *Controller) Admit(ctx context.Context, r Request) (Admission, error) {
	a := Admission{c: c, came: c.clock.Now(), priority: c.ranks.of(&r, c.cfg.Priorities.Trust)}
	a.now = a.came
	if r.Cost == 0 {
		r.Cost = 1
	}
	err := a.admit(ctx, &r)
	a.told(err)
	return a, err
}

// admit is the order.
func (a *Admission) admit(ctx context.Context, r *Request) error {
	c := a.c
	if err := a.remaining(ctx, r); err != nil {
		return err
	}
	for i := range c.limits {
		if l := &c.limits[i]; l.route.matches(r.Method, r.Path) {
			if d := l.allowAt(a.now, r); !a.note(l.terms, d) {
				return a.refuse(stanch.ErrRateLimited, d.RetryAfter, nil)
			}
		}
	}
	for i := range c.quotas {
		if q := &c.quotas[i]; q.route.matches(r.Method, r.Path) {
			d := q.quota.Allow(ctx, q.cfg.By.key(r), r.Cost)
			a.now = c.clock.Now()
			if a.note(q.terms, ratelimit.Decision{OK: d.OK, Remaining: d.Remaining, ResetAfter: d.ResetAfter}) {
				continue
			}
			if err := ctx.Err(); err != nil && errors.Is(d.Err, err) {
				a.by = "" // it was not the quota
				return a.left(err)
			}
			return a.refuse(stanch.ErrQuota, d.RetryAfter, d.Err)
		}
	}
	return a.place(ctx, r)
}

// remaining begins the time of the request, and refuses one that has too little.
func (a *Admission) remaining(ctx context.Context, r *Request) error {
	c := a.c
	a.until = clock.Never
	if !r.Until.IsZero() {
		a.until = c.clock.Instant(r.Until)
	}
	if at, ok := ctx.Deadline(); ok {
		a.until = min(a.until, c.clock.Instant(at))
	}
	if c.cfg.Deadline > 0 {
		a.until = min(a.until, clock.Add(a.now, c.cfg.Deadline))
	}
	if err := ctx.Err(); err != nil {
		return a.left(err)
	}
	if a.until != clock.Never && (a.until <= a.now || a.until-a.now < int64(c.cfg.MinRemaining)) {
		return a.refuse(stanch.ErrDeadline, 0, nil)
	}
	return nil
}

func (l *limit) allowAt(now int64, r *Request) ratelimit.Decision {
	if l.many != nil {
		return l.many.AllowAt(now, l.cfg.By.key(r), r.Cost)
	}
	return l.one.AllowAt(now, r.Cost)
}

// note keeps what a limit said, and reports whether that was yes.
func (a *Admission) note(t *Terms, d ratelimit.Decision) bool {
	if !d.OK {
		a.by = t.Name
	}
	a.states[a.passed] = State{t, d.Remaining, d.ResetAfter}
	a.passed++
	return d.OK
}

// place takes a place among the requests in flight, or waits for one.
func (a *Admission) place(ctx context.Context, r *Request) error {
	c := a.c
	ask := shed.Request{Priority: a.priority, Level: shed.LevelOf(r.User, c.clock.Wall(a.now))}
	if a.until != clock.Never {
		ask.Until = a.until
	}
	permit, d := c.shedder.Acquire(ctx, c.clock, a.now, ask)
	a.now = c.clock.Now()
	if d.OK {
		a.permit, a.open = permit, true
		return nil
	}
	switch d.Reason {
	case shed.Canceled:
		return a.left(ctx.Err())
	case shed.Deadline:
		return a.refuse(stanch.ErrDeadline, d.RetryAfter, nil)
	case shed.Full:
		return a.refuse(stanch.ErrBulkheadFull, d.RetryAfter, nil)
	case shed.Delay:
		return a.refuse(stanch.ErrQueueTimeout, d.RetryAfter, nil)
	}
	return a.refuse(stanch.ErrShed, d.RetryAfter, nil)
}

// left is for a request whose context has ended: because its caller left, or its
// time is over.
func (a *Admission) left(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return a.refuse(stanch.ErrDeadline, 0, nil)
	}
	return err
}

// grain is what a Refusal's RetryAfter is rounded up to.
const grain = 10 * time.Millisecond

func (a *Admission) refuse(reason stanch.Reason, after time.Duration, cause error) error {
	if after == ratelimit.Never {
		after = 0 // there is no time to come back
	}
	return &stanch.Refusal{Dependency: a.c.name, Reason: reason, RetryAfter: clock.RoundUp(after, grain), Cause: cause}
}

// told tells the observer what was decided.
func (a *Admission) told(err error) {
	o := a.c.observer
	if o == nil {
		return
	}
	e := Event{Step: Admitted, At: a.now, Priority: a.priority, Wait: time.Duration(a.now - a.came), By: a.by}
	if refusal, ok := errors.AsType[*stanch.Refusal](err); ok {
		e.Step, e.Reason = Refused, refusal.Reason
	} else if err != nil {
		e.Step = Left
	}
	kept := false
	defer func() {
		if !kept && a.open { // the observer panicked: nobody will call Done
			a.open = false
			a.c.shedder.DoneAt(a.now, a.permit, outcome.Ignored, 0)
		}
	}()
	o.ObserveInbound(e)
	kept = true
}

// Done ends the work: it records what came of it and gives the place back. Only
// the first call counts, and one after a refusal does nothing.
func (a *Admission) Done(o outcome.Outcome) {
	if !a.open {
		return
	}
	a.open = false
	now := a.c.clock.Now()
	took := time.Duration(max(now-a.now, 0))
	// The observer is told before anybody else can have the place, and keeps it
	// from nobody by a panic.
	defer a.c.shedder.DoneAt(now, a.permit, o, took)
	if a.c.observer != nil {
		a.c.observer.ObserveInbound(Event{Step: Ended, At: now, Priority: a.priority, Wait: time.Duration(a.now - a.came), Took: took, Outcome: o})
	}
}

// Priority returns that of the request, which calls made for it should carry: see
// shed.WithPriority.
func (a *Admission) Priority() shed.Priority { return a.priority }

// Deadline returns when the request's time is over, and whether it has an end.
func (a *Admission) Deadline() (time.Time, bool) {
	if a.until == clock.Never {
		return time.Time{}, false
	}
	return a.c.clock.Wall(a.until), true
}

// Wait returns how long the request waited for its place and for quotas.
func (a *Admission) Wait() time.Duration { return time.Duration(a.now - a.came) }

// By returns the name of the limit or quota that refused the request, "" if none
// did.
func (a *Admission) By() string { return a.by }

// States returns what the limits and quotas said that the request came to, in
// their order.
func (a *Admission) States() []State { return a.states[:a.passed] }

// Whole returns how many whole requests remain, and math.MaxInt64 without a limit.
func (s State) Whole() int64 {
	switch {
	case s.Remaining >= math.MaxInt64:
		return math.MaxInt64
	case s.Remaining > 0:
		return int64(s.Remaining)
	}
	return 0
}

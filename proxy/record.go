package proxy

import (
	"sync/atomic"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/internal/durations"
)

// The labels under which calls are counted, each with its place.
var (
	results = labels(
		stanch.ResultOK.String(), stanch.ResultAnswer.String(), stanch.ResultError.String(), stanch.ResultTimeout.String(), stanch.ResultLate.String(),
		stanch.ResultPanic.String(), stanch.ResultCallerDeadline.String(), stanch.ResultCallerCanceled.String(), stanch.ResultRefused.String(), stanch.ResultExcluded.String())
	reasons = labels(
		stanch.ErrBreakerOpen.Label(), stanch.ErrBulkheadFull.Label(), stanch.ErrQueueTimeout.Label(), stanch.ErrBudget.Label(),
		stanch.ErrDeadline.Label(), stanch.ErrRateLimited.Label(), stanch.ErrQuota.Label(), stanch.ErrShed.Label(), stanch.ErrNested.Label())
	sources = labels(sourceLastGood, sourceStatic, sourceEmpty, sourceHidden)
	states  = labels(
		breaker.Closed.String(), breaker.Open.String(), breaker.HalfOpen.String(), breaker.ForcedOpen.String(), breaker.ForcedClosed.String())
)

type labelled struct {
	names []string
	place map[string]int
}

func labels(names ...string) labelled {
	l := labelled{names, map[string]int{}}
	for i, name := range names {
		l.place[name] = i
	}
	return l
}

// counters count by label, in the order of the labels. What has none of the
// labels is not counted.
type counters [10]atomic.Uint64

func (c *counters) add(l labelled, name string) {
	if i, ok := l.place[name]; ok {
		c[i].Add(1)
	}
}

// read returns the counts by label.
func (c *counters) read(l labelled) map[string]uint64 {
	m := make(map[string]uint64, len(l.names))
	for i, name := range l.names {
		m[name] = c[i].Load()
	}
	return m
}

// A record counts the calls to a dependency.
type record struct {
	calls, attempts  counters // by result
	refused, retries counters // calls, and retries, that were refused, by reason
	degraded         counters // answers by source
	unanswered       atomic.Uint64
	latency, queued  durations.Counter
	executed         durations.Counter
	transitions      counters // by the state that was reached
}

func (r *record) observe(e stanch.Event) {
	switch e.Step {
	case stanch.StepAttempt:
		r.queued.Add(e.Wait)
	case stanch.StepAttemptDone:
		r.attempts[e.Result].Add(1)
		r.executed.Add(e.Took)
	case stanch.StepTransition:
		r.transitions.add(states, e.To.String())
	case stanch.StepRefused:
		r.refused.add(reasons, e.Reason.Label())
	case stanch.StepRetryRefused:
		r.retries.add(reasons, e.Reason.Label())
	case stanch.StepFallback:
		if e.Err != nil {
			r.unanswered.Add(1)
		} else {
			r.degraded.add(sources, e.Source)
		}
	case stanch.StepDone:
		r.calls[e.Result].Add(1)
		if e.Attempt > 0 {
			r.latency.Add(e.Took)
		}
	}
}

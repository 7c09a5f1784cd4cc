package stanchprom

import (
	"sync"
	"sync/atomic"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/internal/durations"
)

// A tally counts the calls of one dependency.
type tally struct {
	name                               string
	calls, attempts                    counts // by result
	refused, retries                   counts // by reason
	transitions                        counts // by state
	begun, ended                       atomic.Uint64
	unanswered                         atomic.Uint64
	callTime, executionTime, queueTime durations.Counter

	adding  sync.Mutex
	sources atomic.Pointer[map[string]*atomic.Uint64] // copied when one is added
}

func (t *tally) observe(e stanch.Event) {
	switch e.Step {
	case stanch.StepAttempt:
		t.begun.Add(1)
		t.queueTime.Add(e.Wait)
	case stanch.StepAttemptDone:
		t.attempts.add(min(int(e.Result), len(results)))
		t.executionTime.Add(e.Took)
		t.ended.Add(1)
	case stanch.StepRefused:
		t.refused.add(place(reasons, e.Reason.Label()))
	case stanch.StepRetryRefused:
		t.retries.add(place(reasons, e.Reason.Label()))
	case stanch.StepTransition:
		t.transitions.add(min(int(e.To), len(states)))
	case stanch.StepFallback:
		if e.Err != nil {
			t.unanswered.Add(1)
		} else {
			t.source(e.Source).Add(1)
		}
	case stanch.StepDone:
		t.calls.add(min(int(e.Result), len(results)))
		if e.Attempt > 0 {
			t.callTime.Add(e.Took)
		}
	}
}

func (t *tally) source(name string) *atomic.Uint64 {
	if known := t.sources.Load(); known != nil {
		if n := (*known)[name]; n != nil {
			return n
		}
	}
	t.adding.Lock()
	defer t.adding.Unlock()
	return added(&t.sources, name, MaxSources, func(string) *atomic.Uint64 { return new(atomic.Uint64) })
}

func (t *tally) sample() Sample {
	ended := t.ended.Load() // before begun, so that the difference is not negative
	s := Sample{
		Dependency: t.name,
		Calls:      t.calls.read(results), Attempts: t.attempts.read(results),
		Refused: t.refused.read(reasons), RetriesRefused: t.retries.read(reasons),
		Transitions: t.transitions.read(states),
		Degraded:    map[string]uint64{}, Unanswered: t.unanswered.Load(),
		Running: int(t.begun.Load() - ended),
		Call:    read(&t.callTime), Execution: read(&t.executionTime), Queue: read(&t.queueTime),
	}
	if known := t.sources.Load(); known != nil {
		for name, n := range *known {
			s.Degraded[name] = n.Load()
		}
	}
	return s
}

// counts are those of a set and, after them, of what is not in it.
type counts [12]atomic.Uint64

func (c *counts) add(i int) { c[i].Add(1) }

func (c *counts) read(set []string) map[string]uint64 {
	m := make(map[string]uint64, len(set))
	for i, name := range set {
		m[name] = c[i].Load()
	}
	if n := c[len(set)].Load(); n > 0 {
		m[other] = n
	}
	return m
}

func read(c *durations.Counter) Histogram {
	buckets, sum := c.Read()
	return Histogram{Bounds: durations.Bounds[:], Buckets: buckets[:], Sum: sum}
}

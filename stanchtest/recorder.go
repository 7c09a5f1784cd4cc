package stanchtest

import (
	"sync"

	"github.com/stanch-go/stanch"
)

// A Recorder is an Observer that keeps the events of the calls to one
// dependency or several. The zero value is ready to use, and safe for
// concurrent use.
type Recorder struct {
	// Limit is how many events are kept; later ones are only counted. Default
	// 10000. Set it before the first event.
	Limit int

	mu     sync.Mutex
	events []stanch.Event
	counts map[stanch.Step]int
}

const defaultLimit = 10000

// Observe implements stanch.Observer.
func (r *Recorder) Observe(e stanch.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	limit := r.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	if len(r.events) < limit {
		r.events = append(r.events, e)
	}
	if r.counts == nil {
		r.counts = map[stanch.Step]int{}
	}
	r.counts[e.Step]++
}

// Events returns a copy of the events that were kept, in the order in which
// they were told.
func (r *Recorder) Events() []stanch.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]stanch.Event(nil), r.events...)
}

// Steps returns the steps of the events that were kept.
func (r *Recorder) Steps() []stanch.Step {
	var steps []stanch.Step
	for _, e := range r.Events() {
		steps = append(steps, e.Step)
	}
	return steps
}

// Count returns how many events had the step, kept or not.
func (r *Recorder) Count(step stanch.Step) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts[step]
}

// Strings returns the events that were kept as text, one line each, with the
// time since the first of them:
//
//	0s db: attempt 1
//	150ms db: attempt-done 1 timeout failure 150ms: context deadline exceeded
//	150ms db: backoff 2 wait 50ms
//
// The text is for tests and for reading; it may change between versions.
func (r *Recorder) Strings() []string {
	events := r.Events()
	var lines []string
	for _, e := range events {
		lines = append(lines, line(e, events[0].At))
	}
	return lines
}

// Reset forgets all events.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events, r.counts = nil, nil
}

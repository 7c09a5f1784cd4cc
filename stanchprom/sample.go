package stanchprom

import (
	"time"

	"github.com/stanch-go/stanch/bulkhead"
)

// A Sample is what is known of one dependency at one instant. Counts are totals
// and must not fall; those of results, reasons and states that this module does
// not know are counted as "other".
type Sample struct {
	Dependency string

	Calls          map[string]uint64 // logical calls that ended, by result
	Attempts       map[string]uint64 // attempts that ended, by result
	Refused        map[string]uint64 // attempts that a guard refused, by reason
	RetriesRefused map[string]uint64 // retries that were not begun, by reason
	Degraded       map[string]uint64 // calls that an alternative answered, by source
	Unanswered     uint64            // calls that no alternative answered either
	Running        int               // attempts that run now

	Call      Histogram // whole calls that made an attempt
	Execution Histogram // each attempt, without the wait before it
	Queue     Histogram // the wait of each attempt in the bulkhead's queue

	Breaker     string            // its state; empty when there is none
	Transitions map[string]uint64 // by the state that was reached
	Bulkhead    *bulkhead.Stats   // nil when there is none
	Balance     *float64          // of the retry budget; nil when there is none
}

// A Histogram is how many durations there were up to each bound, and beyond the
// one before; the last bucket, one more than there are bounds, has what is longer.
type Histogram struct {
	Bounds  []time.Duration
	Buckets []uint64
	Sum     time.Duration
}

package bulkhead

import (
	"math"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// Stats is the state of a bulkhead at one instant and its totals since it was
// made. Durations are of waits in the queue only: how long calls run is the
// time between acquire and release, and the caller's to measure.
type Stats struct {
	Limit      int // most permits at once; 0 if the bulkhead is off
	Guaranteed int // of these, the share's own; 0 if it stands alone

	InFlight     int // permits held
	Lingering    int // of these, abandoned
	PeakInFlight int
	Waiting      int
	PeakWaiting  int
	OldestWait   time.Duration // how long the oldest waiter has waited so far

	Full     uint64 // refused: no permit and no place in the queue
	TimedOut uint64 // refused: waited in vain
	Canceled uint64 // their context ended while they waited
	Queued   uint64 // admitted after a wait

	WaitTotal time.Duration // of those admitted after a wait
	WaitMax   time.Duration
}

// waits counts what became of waiters.
type waits struct {
	peak                       int
	timedOut, canceled, queued uint64
	total, longest             time.Duration
}

func (s *waits) admit(d time.Duration) {
	s.queued++
	s.longest = max(s.longest, d)
	if s.total > math.MaxInt64-d {
		s.total = math.MaxInt64
	} else {
		s.total += d
	}
}

// StatsAt returns the statistics. It applies the clock: what has lingered long
// enough is no longer in flight. It takes the lock briefly, and is meant for
// reports, not for each call.
func (b *Bulkhead) StatsAt(now int64) Stats {
	b.lapsed(now)
	b.mu.Lock()
	defer b.mu.Unlock()
	word := b.word.Load()
	s := Stats{
		InFlight:     int(inFlight(word)),
		Lingering:    len(b.abandoned.until),
		PeakInFlight: int(max(b.peak.Load(), inFlight(word))),
		Waiting:      int(waiting(word)),
		PeakWaiting:  b.waits.peak,
		Full:         b.full.Load(),
		TimedOut:     b.waits.timedOut,
		Canceled:     b.waits.canceled,
		Queued:       b.waits.queued,
		WaitTotal:    b.waits.total,
		WaitMax:      b.waits.longest,
	}
	if b.limit != maxSlots {
		s.Limit = int(b.limit)
	}
	if b.share != nil {
		s.Guaranteed = int(b.guaranteed)
	}
	if first := b.queue.first; first != nil {
		s.OldestWait = clock.Between(first.since, now)
	}
	return s
}

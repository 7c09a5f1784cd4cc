package adaptive

import "time"

// Stats is the state of a limiter, and its totals since it was made.
type Stats struct {
	Limit    int           // calls that may be in flight at once
	InFlight int           // permits held
	Base     time.Duration // what a call takes without a queue; 0 while unknown
	Latency  time.Duration // what calls took in the latest window without losses; 0 while unknown
	Reason   Reason        // what the latest window did to the limit

	Admitted uint64 // calls
	Refused  uint64 // calls
	Lost     uint64 // calls that failed
}

// Stats returns the statistics. It takes the lock briefly, and is meant for
// reports, not for each call.
func (l *Limiter) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{
		Limit:    int(l.control.limit),
		InFlight: l.permits.Used(),
		Base:     time.Duration(l.control.base),
		Latency:  time.Duration(l.control.seen),
		Reason:   l.control.reason,
		Admitted: l.admitted,
		Refused:  l.refused.Load(),
		Lost:     l.lost,
	}
}

package shed

import (
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// A Request is what the shedder needs to know of one.
type Request struct {
	// Priority is how important it is; Critical by default.
	Priority Priority
	// Level is that of the user, see [LevelOf]; 0 if there is none.
	Level Level
	// Until is the instant at which nobody wants the answer any more. 0 is never.
	Until int64
}

// A Decision says whether a request is admitted, and if not why and when it
// may be tried again.
type Decision struct {
	OK     bool   // it is admitted
	Reason Reason // of a refusal
	// RetryAfter is how long to stay away: about as long as the overload has lasted
	// so far, from 1 to 30 s, give or take half of it, so that not all come back
	// at once. 0 if nothing is known: more time would help, or nobody asks.
	RetryAfter time.Duration
}

// Reason says why a request was refused.
type Reason string

const (
	// Rank: there is too much, and others are more important.
	Rank Reason = "priority"
	// Full: no place was free, and none to wait in.
	Full Reason = "queue_full"
	// Delay: no place came free soon enough.
	Delay Reason = "queue_delay"
	// Deadline: too little time is left to finish it.
	Deadline Reason = "deadline"
	// Canceled: its context ended while it waited.
	Canceled Reason = "canceled"
)

// Reasons are all reasons.
var Reasons = [...]Reason{Rank, Full, Delay, Deadline, Canceled}

const (
	rank = iota // indices of Reasons
	full
	delay
	deadline
	canceled
	reasons
)

const (
	shortestRetry = time.Second
	longestRetry  = 30 * time.Second
)

// refuse counts a refusal and gives its reasons.
func (s *Shedder) refuse(now int64, p Priority, why int) (Permit, Decision) {
	s.refused[p.index()][why].Add(1)
	d := Decision{Reason: Reasons[why]}
	if why < deadline {
		wait := min(max(clock.Between(s.since.Load(), now), shortestRetry), longestRetry)
		d.RetryAfter = wait/2 + time.Duration(s.random.Uint64()%uint64(wait))
	}
	return Permit{}, d
}

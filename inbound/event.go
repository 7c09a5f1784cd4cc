package inbound

import (
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/shed"
)

// Step says what an Event is about.
type Step uint8

const (
	Admitted Step = iota // a request was taken in
	Refused              // it was not
	Left                 // its caller left while it waited
	Ended                // the work for it is over
)

func (s Step) String() string {
	return [...]string{"admitted", "refused", "left", "ended"}[min(s, Ended)]
}

// An Event is one step of one request.
type Event struct {
	Step     Step            // what happened
	At       int64           // in nanoseconds of the clock
	Priority shed.Priority   // of the request
	Reason   stanch.Reason   // of a refusal
	By       string          // the limit or quota that refused, "" if neither did
	Wait     time.Duration   // in the queue and for quotas
	Took     time.Duration   // the work
	Outcome  outcome.Outcome // of the work
}

// An Observer is told of every step, on the goroutine of the request and with no
// lock held. It must be safe for concurrent use, and quick.
type Observer interface {
	ObserveInbound(Event)
}

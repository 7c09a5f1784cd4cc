package breaker

import "fmt"

// State is what a breaker does with calls.
type State uint8

const (
	// Closed: calls are admitted, all of them or the share that the ramp allows.
	Closed State = iota
	// Open: calls are refused, but for the probes of the trickle.
	Open
	// HalfOpen: a bounded number of probes is admitted; they decide.
	HalfOpen
	// ForcedOpen: every call is refused, until AutoAt.
	ForcedOpen
	// ForcedClosed: every call is admitted and counted, until AutoAt.
	ForcedClosed
)

func (s State) String() string {
	switch s {
	case Closed:
		return "closed"
	case Open:
		return "open"
	case HalfOpen:
		return "half-open"
	case ForcedOpen:
		return "forced-open"
	case ForcedClosed:
		return "forced-closed"
	}
	return fmt.Sprintf("state(%d)", uint8(s))
}

// A Transition is a change of state.
type Transition struct {
	// At is when it took effect. A change by the clock (a cooldown or a probe's
	// lease that is over) is met by the next call of any method, and reported
	// then with the instant at which it was due.
	At     int64
	From   State
	To     State
	Reason string // one of the Reason constants
}

// The reasons of transitions.
const (
	ReasonFailureRatio   = "failure ratio"
	ReasonSlowRatio      = "slow ratio"
	ReasonConsecutive    = "consecutive failures"
	ReasonCooldownOver   = "cooldown over"
	ReasonProbeFailed    = "probe failed"
	ReasonProbeSlow      = "probe slow"
	ReasonProbeLeaseOver = "probe lease over"
	ReasonProbeSucceeded = "probe succeeded"
	ReasonForced         = "forced"
	ReasonAuto           = "back to automatic"
)

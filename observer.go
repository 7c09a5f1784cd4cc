package stanch

import (
	"fmt"
	"time"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/outcome"
)

// An Observer is told of every step of every call. It is called on the calling
// goroutine, never under a lock, and must be quick and safe for concurrent use.
type Observer interface {
	Observe(Event)
}

// ObserverFunc makes a function an Observer.
type ObserverFunc func(Event)

// Observe calls f.
func (f ObserverFunc) Observe(e Event) { f(e) }

// Step names what an Event reports.
type Step uint8

const (
	StepAttempt      Step = iota // an attempt begins: Attempt, Wait (time spent in the bulkhead's queue)
	StepAttemptDone              // it ended: Attempt, Took, Outcome, Result, Err
	StepBackoff                  // a retry was decided: Attempt (the one to come), Wait
	StepRetryRefused             // another attempt was not begun: Reason, Err
	StepRefused                  // the attempt was refused before it began: Reason, RetryAfter in Wait
	StepTransition               // the breaker changed its state: From, To
	StepFallback                 // an alternative answered, or none did: Source, Took, Err
	StepDone                     // the call ended: Attempt (how many), Took, Outcome, Result, Err
)

var stepNames = [...]string{"attempt", "attempt-done", "backoff", "retry-refused", "refused", "transition", "fallback", "done"}

func (s Step) String() string {
	if int(s) < len(stepNames) {
		return stepNames[s]
	}
	return fmt.Sprintf("step(%d)", uint8(s))
}

// Result tells apart the ways in which an attempt or a call can end.
type Result uint8

const (
	ResultOK             Result = iota // an answer in time
	ResultAnswer                       // an error that is the dependency's proper answer, such as not found
	ResultError                        // the dependency failed
	ResultTimeout                      // no answer within this dependency's own time limit
	ResultLate                         // an answer, but after the time limit
	ResultPanic                        // the function panicked or ended its goroutine
	ResultCallerDeadline               // the caller's deadline came before this dependency's own limit
	ResultCallerCanceled               // the caller went away
	ResultRefused                      // refused by this dependency's guards, or by a guard further in
	ResultExcluded                     // an error that was excluded
)

var resultNames = [...]string{"ok", "answer", "error", "timeout", "late", "panic", "caller-deadline", "caller-canceled", "refused", "excluded"}

func (r Result) String() string {
	if int(r) < len(resultNames) {
		return resultNames[r]
	}
	return fmt.Sprintf("result(%d)", uint8(r))
}

// An Event is one step of one call. Fields that a step does not name are zero.
type Event struct {
	Step       Step   // what happened
	Dependency string // its name
	At         int64  // monotonic nanoseconds, for differences only
	Attempt    int    // counted from 1
	Took       time.Duration
	Wait       time.Duration
	Outcome    outcome.Outcome
	Result     Result
	Reason     Reason
	Err        error
	Source     string
	From, To   breaker.State
}

func (d *Dependency) observe(e Event) {
	if d.observer != nil {
		e.Dependency = d.name
		d.observer.Observe(e)
	}
}

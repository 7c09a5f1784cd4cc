package fallback

import (
	"errors"
	"strings"
	"time"
)

// Live is the source of an answer that is not degraded. No alternative may
// have this name.
const Live = "live"

var (
	// ErrFull says that as many calls as Limits.Concurrent were inside the
	// alternative already.
	ErrFull = errors.New("fallback: too many at once")
	// ErrNoSnapshot says that there is no value: none was stored yet, or it
	// was evicted, deleted or dropped for its age.
	ErrNoSnapshot = errors.New("fallback: no snapshot")
	// ErrTooOld says that there is a value, but older than allowed.
	ErrTooOld = errors.New("fallback: snapshot is too old")
	// ErrAbandoned is what the callers of a shared load get when it ended by
	// a panic or by runtime.Goexit in the caller that ran it.
	ErrAbandoned = errors.New("fallback: the shared load was abandoned")
)

// Answer is a value and where it comes from.
type Answer[T any] struct {
	Value T // the zero value when there is no answer
	// Source is Live, or the name of the alternative that answered.
	Source string
	// Age is how old the value is at most. It is 0 when the alternative did
	// not report it (see ReportAge).
	Age time.Duration
	// Cause is why the answer is not live; nil when it is.
	Cause error
	// Skipped are the alternatives that came first and did not answer.
	Skipped []Skip
}

// Degraded reports whether the answer is anything but live.
func (a Answer[T]) Degraded() bool { return a.Source != Live }

// Skip is one alternative that did not answer, and why: ErrFull, the error of
// its loader, or the caller's cancellation.
type Skip struct {
	Name string // of the alternative
	Err  error  // why it did not answer
}

// NoAnswer is the error when no alternative answered either. errors.Is and
// errors.AsType look at Cause first and then at every Skip in order.
type NoAnswer struct {
	Cause   error // why there is no live answer; may be nil
	Skipped []Skip
}

func (e *NoAnswer) Error() string {
	var b strings.Builder
	b.WriteString("fallback: no answer")
	separator := ": "
	add := func(name string, err error) {
		b.WriteString(separator + name + ": " + err.Error())
		separator = "; "
	}
	if e.Cause != nil {
		add(Live, e.Cause)
	}
	for _, s := range e.Skipped {
		add(s.Name, s.Err)
	}
	return b.String()
}

// Unwrap returns the cause, if any, and then the errors of the alternatives.
func (e *NoAnswer) Unwrap() []error {
	errs := make([]error, 0, 1+len(e.Skipped))
	if e.Cause != nil {
		errs = append(errs, e.Cause)
	}
	for _, s := range e.Skipped {
		errs = append(errs, s.Err)
	}
	return errs
}

package outcome

import "time"

// marked is an error with a verdict of its own. It prints as the error it holds.
type marked struct {
	err     error
	verdict Verdict
}

func (m *marked) Error() string    { return m.err.Error() }
func (m *marked) Unwrap() error    { return m.err }
func (m *marked) Verdict() Verdict { return m.verdict }

func mark(err error, v Verdict) error {
	if err == nil {
		return nil
	}
	return &marked{err, v}
}

// Retryable marks err as a failure that may pass. A nil err stays nil, here and
// in the other marks; all of them wrap, so [errors.Is] still finds err.
func Retryable(err error) error {
	return mark(err, Verdict{Outcome: Failure, Retry: true})
}

// Permanent marks err as a failure that will not pass: it is never retried.
func Permanent(err error) error {
	return mark(err, Verdict{Outcome: Failure})
}

// Answer marks err as an answer: the dependency did its work and the caller
// does not like the result, as with "balance too low". It counts as a success
// and is never retried.
func Answer(err error) error {
	return mark(err, Verdict{Outcome: Success})
}

// Excluded marks err as saying nothing about the dependency: it is ignored, and
// never retried.
func Excluded(err error) error {
	return mark(err, Verdict{Outcome: Ignored})
}

// After marks err as a failure that may pass, and tells how long the dependency
// asked to be left alone. A negative d is taken as 0.
func After(err error, d time.Duration) error {
	return mark(err, Verdict{Outcome: Failure, Retry: true, After: max(d, 0), HasAfter: true})
}

// Package deadline treats time as a budget: a request has so much of it, every
// attempt, backoff and hop spends from it, and what cannot finish within it is
// not begun.
//
// It has four parts, each usable alone:
//
//   - [Config] says how long an attempt and a whole call may take;
//   - [Budget] is the arithmetic of one call, on plain instants;
//   - [Context] is a context.Context with a deadline that costs one allocation
//     and arms its timer only when somebody waits for Done;
//   - [Read], [Write] and the gRPC pair carry the remaining time between
//     processes, as a duration, so that clocks which disagree do no harm.
//
// A timeout is not a rollback. It only ends the waiting: the dependency may
// have done the work already, or may still be doing it.
package deadline

import (
	"errors"
	"fmt"
	"time"
)

// DefaultMax is the most that an incoming header may claim unless Config.Max
// says otherwise.
const DefaultMax = time.Minute

// Config bounds calls in time. The zero value adds no bound of its own: calls
// then have whatever time the caller's deadline leaves them.
type Config struct {
	// Attempt is the longest that one attempt may take. Default 0: an attempt
	// may use all the time that remains, so that a single hanging one leaves
	// nothing for a retry. Range: 0 or more, at most Total where both are set.
	Attempt time.Duration `yaml:"attempt"`

	// Total is the longest that a whole call may take, with all its attempts
	// and the backoffs between them. Default 0: only the caller's deadline
	// bounds the call. Range: 0 or more.
	Total time.Duration `yaml:"total"`

	// Connect is the longest that establishing a connection may take; adapters
	// that dial use it. A peer that swallows packets is then noticed long
	// before the attempt is over. Default 0: the adapter's own default.
	// Range: 0 or more, less than Attempt (or Total where there is no Attempt).
	Connect time.Duration `yaml:"connect"`

	// Reserve is kept back from the time that the caller has left, for what
	// follows the call, such as encoding and sending the answer. It does not
	// shorten Total. Default 0. Range: 0 or more.
	Reserve time.Duration `yaml:"reserve"`

	// Useful is the least time with which an attempt is worth beginning; about
	// the dependency's median latency is a good value. An attempt that would
	// get less is refused instead of being begun in vain. Default 0: any time
	// at all. Range: 0 or more, at most Attempt and Total where they are set.
	Useful time.Duration `yaml:"useful"`

	// Max is the most remaining time that an incoming header may claim; a
	// larger claim counts as Max. Default 0: DefaultMax, one minute.
	// Range: 0 or more.
	Max time.Duration `yaml:"max"`
}

// Validate returns all faults of the configuration at once, each beginning with
// the name of the field, or nil.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }

	for _, f := range []struct {
		name  string
		value time.Duration
	}{
		{"attempt", c.Attempt}, {"total", c.Total}, {"connect", c.Connect},
		{"reserve", c.Reserve}, {"useful", c.Useful}, {"max", c.Max},
	} {
		if f.value < 0 {
			fault("%s: must not be negative, is %v", f.name, f.value)
		}
	}
	if c.Total > 0 && c.Attempt > c.Total {
		fault("attempt: must not exceed total (%v), is %v", c.Total, c.Attempt)
	}
	if c.Attempt > 0 && c.Connect >= c.Attempt {
		fault("connect: must be less than attempt (%v), is %v", c.Attempt, c.Connect)
	} else if c.Total > 0 && c.Connect >= c.Total {
		fault("connect: must be less than total (%v), is %v", c.Total, c.Connect)
	}
	if c.Attempt > 0 && c.Useful > c.Attempt {
		fault("useful: must not exceed attempt (%v), is %v", c.Attempt, c.Useful)
	} else if c.Total > 0 && c.Useful > c.Total {
		fault("useful: must not exceed total (%v), is %v", c.Total, c.Useful)
	}
	return errors.Join(faults...)
}

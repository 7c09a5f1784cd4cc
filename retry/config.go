// Package retry decides when a failed attempt is worth another one: how long to
// wait before it, and whether the client as a whole may still afford it.
//
// It is made of parts without a loop. A [Config] computes waits; a [Budget]
// bounds the extra load of all callers together, which a limit per call does
// not: when everything fails, three retries are four times the load. Neither
// sleeps or reads a clock.
package retry

import (
	"errors"
	"fmt"
	"time"
)

// MaxAttempts is the most attempts a call may be given.
const MaxAttempts = 100

// Config says how often a call is attempted and how long it waits in between.
// The zero Config does not retry. A Config is plain data, safe for concurrent use.
type Config struct {
	// Attempts is how often a call is attempted at most, the first time
	// included. Default 1, which is no retry. Range 0 to 100.
	Attempts int `yaml:"attempts"`
	// Base is the wait before the first retry, before jitter. Default 100ms.
	// Not above Cap.
	Base time.Duration `yaml:"base"`
	// Cap is the longest wait that is computed. Default 10s.
	Cap time.Duration `yaml:"cap"`
	// Multiplier is how much longer each wait is than the one before, before
	// jitter. Default 2. Range 1 to 10; 1 keeps the wait constant. It has no
	// place beside decorrelated jitter.
	Multiplier float64 `yaml:"multiplier"`
	// Jitter says how waits are randomised, so that callers that failed together
	// do not come back together. Default full.
	Jitter Jitter `yaml:"jitter"`
	// RetryAfterCap is the longest wait taken from the server, in Retry-After
	// and the like. A server that asks for more gets no retry. Default 30s.
	RetryAfterCap time.Duration `yaml:"retry_after_cap"`
}

// Jitter names a way to randomise a wait. The first three are described in
// Marc Brooker's "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
type Jitter string

const (
	// Full waits between 0 and the computed wait. It spreads best.
	Full Jitter = "full"
	// Equal waits between half of the computed wait and all of it.
	Equal Jitter = "equal"
	// Decorrelated waits between Base and three times the wait before.
	Decorrelated Jitter = "decorrelated"
	// None waits exactly as computed. Callers stay in step: use it in tests.
	None Jitter = "none"
)

// Validate returns every fault of the configuration, joined, or nil.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf(format, args...))
	}

	if c.Attempts < 0 || c.Attempts > MaxAttempts {
		fault("attempts: must be between 0 and %d, is %d", MaxAttempts, c.Attempts)
	}
	if c.Base < 0 {
		fault("base: must not be negative, is %v", c.Base)
	}
	if c.Cap < 0 {
		fault("cap: must not be negative, is %v", c.Cap)
	}
	if d := c.defaults(); c.Base >= 0 && c.Cap >= 0 && d.Base > d.Cap {
		fault("base: must not exceed cap %v, is %v", d.Cap, d.Base)
	}
	switch c.Jitter {
	case "", Full, Equal, Decorrelated, None:
	default:
		fault("jitter: must be %s, %s, %s or %s, is %q",
			Full, Equal, Decorrelated, None, c.Jitter)
	}
	switch {
	case c.Multiplier == 0:
	case !(c.Multiplier >= 1 && c.Multiplier <= 10): // NaN is neither
		fault("multiplier: must be between 1 and 10, is %v", c.Multiplier)
	case c.Jitter == Decorrelated:
		fault("multiplier: has no effect with %s jitter", Decorrelated)
	}
	if c.RetryAfterCap < 0 {
		fault("retry_after_cap: must not be negative, is %v", c.RetryAfterCap)
	}
	return errors.Join(faults...)
}

// defaults fills in what was left out. Values out of range count as left out, so
// that a Config nobody validated still neither panics nor waits for ever.
func (c Config) defaults() Config {
	if c.Base <= 0 {
		c.Base = 100 * time.Millisecond
	}
	if c.Cap <= 0 {
		c.Cap = 10 * time.Second
	}
	if !(c.Multiplier >= 1) {
		c.Multiplier = 2
	}
	if c.RetryAfterCap <= 0 {
		c.RetryAfterCap = 30 * time.Second
	}
	return c
}

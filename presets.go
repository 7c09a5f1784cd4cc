package stanch

import (
	"fmt"
	"time"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/retry"
)

// Class names a preset: what kind of dependency it is decides how it is
// guarded. A policy file says "class: optional_read".
type Class string

// The classes, each with the function that makes its Config.
const (
	ClassStandard     Class = "standard"
	ClassCoreRead     Class = "core_read"
	ClassCoreWrite    Class = "core_write"
	ClassOptionalRead Class = "optional_read"
	ClassSidePath     Class = "side_path"
)

// Values lists the classes, for messages and completion.
func (Class) Values() []string {
	return []string{string(ClassStandard), string(ClassCoreRead), string(ClassCoreWrite), string(ClassOptionalRead), string(ClassSidePath)}
}

// Preset returns the configuration of a class. p99 is the dependency's 99 %
// latency in good times; the classes that do not depend on it ignore it.
func Preset(class Class, p99 time.Duration) (Config, error) {
	switch class {
	case "":
		return Config{}, nil
	case ClassOptionalRead:
		return OptionalRead(), nil
	case ClassSidePath:
		return SidePath(), nil
	case ClassStandard:
		if p99 == 0 {
			return Standard(300 * time.Millisecond), nil
		}
		return Standard(3 * p99), nil
	}
	if class != ClassCoreRead && class != ClassCoreWrite {
		return Config{}, fmt.Errorf("class: %q is none of %v", class, class.Values())
	}
	if p99 <= 0 {
		return Config{}, fmt.Errorf("p99: class %s needs the dependency's p99 latency, for example 80ms", class)
	}
	if class == ClassCoreRead {
		return CoreRead(p99), nil
	}
	return CoreWrite(p99), nil
}

// Standard is the one set of settings with which all of this module's published
// experiments are played: everything on. Only the time limit of an attempt
// depends on the dependency; two to three times its p99 latency is a good start.
//
// It opens after 5 failures in a row over at least 75 ms, after 10 in any time,
// or when half of at least 20 calls within a second failed. While open it lets a
// single probe through every 100 ms, so that recovery is seen early; after
// closing it lets the load back in over 150 ms. There are ten places, and ten
// more calls may wait for one, for 50 ms or a third of an attempt, whichever is
// shorter. The place of a call that timed out stays taken for 3 s, unless the
// dependency answers something before, so that it is not buried under calls
// that nobody waits for; the price is that after a short stall that took all
// places the recovery is seen when they come free.
func Standard(attempt time.Duration) Config {
	return Config{
		Timeout: deadline.Config{Attempt: attempt, Total: 3 * attempt},
		Retry:   retry.Config{Attempts: 3, Base: 50 * time.Millisecond, Cap: time.Second, Jitter: retry.Full},
		Budget:  retry.BudgetConfig{Kind: retry.KindEarning, Max: 40, Earn: 0.1, Trickle: 1},
		Breaker: breaker.Config{
			Window: time.Second, MinCalls: 20, FailureRatio: 0.5,
			Consecutive: 5, ConsecutiveSpan: 75 * time.Millisecond,
			Cooldown: 5 * time.Second, CooldownJitter: 0.1,
			Probes: 3, ProbeLease: 30 * time.Second,
			Trickle: breaker.Trickle{First: 50 * time.Millisecond, Max: 100 * time.Millisecond, Factor: 1.5, Overlap: 2},
			Ramp:    150 * time.Millisecond,
		},
		Bulkhead: bulkhead.Config{Limit: 10, Queue: 10, MaxWait: min(50*time.Millisecond, attempt/3), Linger: 3 * time.Second},
	}
}

// CoreRead is for reads without which there is no answer, such as a user's
// profile: twice the p99 latency for an attempt, one retry with jitter, a
// breaker that is slow to open (0.7), and a bounded queue before 20 places.
// Give it a snapshot of the last good answer as its alternative.
func CoreRead(p99 time.Duration) Config {
	c := class(2*p99, 2, 0.7)
	c.Bulkhead = bulkhead.Config{Limit: 20, Queue: 20, MaxWait: p99}
	return c
}

// CoreWrite is for writes that matter, such as an order: three times the p99
// latency, no retry, since a second try may do it twice, and a breaker that is
// slowest to open (0.8). Its alternative is to accept the write for later, and
// to say so. With an idempotency key a retry may be added.
func CoreWrite(p99 time.Duration) Config {
	c := class(3*p99, 1, 0.8)
	c.Bulkhead = bulkhead.Config{Limit: 20, Queue: 20, MaxWait: p99}
	return c
}

// OptionalRead is for reads that an answer can do without, such as
// recommendations: 300 ms at most, one retry, a breaker that is quick to open
// (0.3), 10 places and no queue. Its alternative is something generic, or to
// leave the part out.
func OptionalRead() Config {
	c := class(300*time.Millisecond, 2, 0.3)
	c.Bulkhead = bulkhead.Config{Limit: 10}
	return c
}

// SidePath is for what the user does not see, such as analytics: 100 ms, never
// a retry, 10 places and no queue. What does not get through is dropped.
func SidePath() Config {
	c := class(100*time.Millisecond, 1, 0.5)
	c.Bulkhead = bulkhead.Config{Limit: 10}
	return c
}

// class is what the four classes share.
func class(attempt time.Duration, attempts int, ratio float64) Config {
	c := Config{
		Timeout: deadline.Config{Attempt: attempt, Total: time.Duration(attempts) * attempt},
		Breaker: breaker.Config{Window: 10 * time.Second, MinCalls: 20, FailureRatio: ratio, Cooldown: 5 * time.Second, CooldownJitter: 0.1, Probes: 3},
	}
	if attempts > 1 {
		c.Retry = retry.Config{Attempts: attempts, Base: 100 * time.Millisecond, Jitter: retry.Full}
		c.Budget = retry.BudgetConfig{Kind: retry.KindEarning}
	}
	return c
}

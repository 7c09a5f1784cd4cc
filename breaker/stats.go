package breaker

import (
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// Stats is what a breaker knows at one instant.
type Stats struct {
	State       State  // at that instant
	Since       int64  // when the state began; 0 before the first transition
	Total       int    // calls in the window
	Failures    int    // of them
	Slow        int    // of them
	Consecutive int    // failures since the last success
	Probes      int    // in flight, and not past their lease
	Opened      uint64 // times the breaker has opened by itself
	Refused     uint64 // calls refused since New
	WouldRefuse uint64 // calls since New that dark mode let through
}

// State is StateAt now.
func (b *Breaker) State() State { return b.StateAt(clock.Real.Now()) }

// StateAt returns the state at an instant. It applies the clock: a breaker
// whose cooldown is over is half-open, whether or not a call came since.
func (b *Breaker) StateAt(now int64) State {
	b.lock(now)
	defer b.unlock()
	return b.state
}

// StatsAt returns the counts at an instant. Like StateAt, it applies the clock.
func (b *Breaker) StatsAt(now int64) Stats {
	now = b.lock(now)
	defer b.unlock()
	b.gather()
	c := b.calls.Counts(now)
	b.healthy(c) // the bucket may be another
	s := Stats{
		State: b.state, Since: b.since,
		Total: c.Total, Failures: c.Failures, Slow: c.Slow, Consecutive: b.run,
		Probes: len(b.probes.list), Opened: b.opened,
	}
	if b.cfg.Dark {
		s.WouldRefuse = b.refused.Load()
	} else {
		s.Refused = b.refused.Load()
	}
	return s
}

// RetryAfterAt returns how long it is until the next call could be admitted,
// for the message of a refusal: until the next probe while open, and never
// more than the longest cooldown, because probes in flight report sooner than
// their lease ends. Nobody knows when a forced state ends: there it is the
// cooldown. It is 0 when a call may be admitted at once.
func (b *Breaker) RetryAfterAt(now int64) time.Duration {
	return b.retryAfter(now, b.quiet.Load())
}

func (b *Breaker) retryAfter(now, quiet int64) time.Duration {
	now = max(now, 0)
	if now >= quiet {
		return 0
	}
	if quiet == clock.Never {
		return b.cfg.Cooldown
	}
	return time.Duration(min(quiet-now, b.longest))
}

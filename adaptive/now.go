package adaptive

import (
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
)

// Acquire is AcquireAt now.
func (l *Limiter) Acquire() (Permit, bool) { return l.AcquireAt(clock.Real.Now()) }

// Done is DoneAt now.
func (l *Limiter) Done(p Permit, o outcome.Outcome, took time.Duration) {
	l.DoneAt(clock.Real.Now(), p, o, took)
}

// Allow is AllowAt now.
func (t *Throttle) Allow() bool { return t.AllowAt(clock.Real.Now()) }

// Done is DoneAt now.
func (t *Throttle) Done(o outcome.Outcome) { t.DoneAt(clock.Real.Now(), o) }

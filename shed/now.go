package shed

import (
	"context"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
)

// TryAcquire is TryAcquireAt now.
func (s *Shedder) TryAcquire(r Request) (Permit, Decision) {
	return s.TryAcquireAt(clock.Real.Now(), r)
}

// Wait is Acquire from now. If the request has no Until, the deadline of the
// context is it.
func (s *Shedder) Wait(ctx context.Context, r Request) (Permit, Decision) {
	if end, ok := ctx.Deadline(); ok && r.Until == 0 {
		r.Until = clock.Real.Instant(end)
	}
	return s.Acquire(ctx, clock.Real, clock.Real.Now(), r)
}

// Done is DoneAt now.
func (s *Shedder) Done(p Permit, o outcome.Outcome, took time.Duration) {
	s.DoneAt(clock.Real.Now(), p, o, took)
}

// Set is SetAt now.
func (s *Shedder) Set(cfg Config, limiter Limiter) error {
	return s.SetAt(clock.Real.Now(), cfg, limiter)
}

// Stats is StatsAt now.
func (s *Shedder) Stats() Stats { return s.StatsAt(clock.Real.Now()) }

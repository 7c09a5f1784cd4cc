package ratelimit

import (
	"context"

	"github.com/stanch-go/stanch/internal/clock"
)

// Allow is AllowAt now.
func (b *Bucket) Allow(cost float64) Decision { return b.AllowAt(clock.Real.Now(), cost) }

// Reserve is ReserveAt now.
func (b *Bucket) Reserve(cost float64) (*Reservation, Decision) {
	return b.ReserveAt(clock.Real.Now(), cost)
}

// Wait is WaitAt now.
func (b *Bucket) Wait(ctx context.Context, cost float64) (Decision, error) {
	return b.WaitAt(ctx, clock.Real, clock.Real.Now(), cost)
}

// Allow is AllowAt now.
func (m *Meter) Allow(cost float64) Decision { return m.AllowAt(clock.Real.Now(), cost) }

// Allow is AllowAt now.
func (s *Shaper) Allow(cost float64) Decision { return s.AllowAt(clock.Real.Now(), cost) }

// Wait is WaitAt now.
func (s *Shaper) Wait(ctx context.Context, cost float64) (Decision, error) {
	return s.WaitAt(ctx, clock.Real, clock.Real.Now(), cost)
}

// Allow is AllowAt now.
func (l *Log) Allow(cost float64) Decision { return l.AllowAt(clock.Real.Now(), cost) }

// Allow is AllowAt now.
func (c *Counter) Allow(cost float64) Decision { return c.AllowAt(clock.Real.Now(), cost) }

// Allow is AllowAt now.
func (k *Keyed) Allow(key string, cost float64) Decision {
	return k.AllowAt(clock.Real.Now(), key, cost)
}

package quota

import (
	"context"
	"sync/atomic"

	"github.com/stanch-go/stanch/internal/clock"
)

// A Quota decides for all instances whether something of a cost may begin.
// [Embedded], [Central] and [Leased] are one.
type Quota interface {
	// Allow admits the cost for the key, or refuses it. It may wait for the store,
	// at most for Timeout and no longer than until ctx ends.
	Allow(ctx context.Context, key string, cost float64) Decision
	// Set changes the limits, or returns the faults of the configuration and
	// changes nothing. What was used stays used, up to the new Burst. Mode and
	// Keys cannot be changed.
	Set(cfg Config) error
}

// New returns the quota that cfg describes, or the faults of the configuration.
// The store is needed but for embedded, which has none.
func New(cfg Config, store Store) (Quota, error) {
	switch cfg.Mode {
	case ModeCentral:
		return made(NewCentral(cfg, store))
	case ModeLeased:
		return made(NewLeased(cfg, store, Options{}))
	}
	return made(NewEmbedded(cfg))
}

// made keeps a nil pointer from becoming a Quota that is not nil.
func made[Q Quota](q Q, err error) (Quota, error) {
	if err != nil {
		return nil, err
	}
	return q, nil
}

// Embedded keeps the buckets itself: the quota is for this instance alone. Make
// one with [NewEmbedded].
type Embedded struct {
	memory *Memory
	set    atomic.Pointer[settings]
}

// NewEmbedded returns a quota for one instance, or the faults of the
// configuration.
func NewEmbedded(cfg Config) (*Embedded, error) {
	s, err := settle(cfg, ModeEmbedded)
	if err != nil {
		return nil, err
	}
	e := &Embedded{memory: NewMemory(s.Keys)}
	e.set.Store(s)
	return e, nil
}

// AllowAt admits the cost for the key, or refuses it and changes nothing.
func (e *Embedded) AllowAt(now int64, key string, cost float64) Decision {
	s := e.set.Load()
	if s.Rate == 0 {
		return unlimited(cost)
	}
	return e.memory.allow(now, s.limit, key, cost)
}

// Allow is AllowAt now. It does not wait, and so does not look at ctx.
func (e *Embedded) Allow(_ context.Context, key string, cost float64) Decision {
	return e.AllowAt(clock.Real.Now(), key, cost)
}

// Set changes the limits, see [Quota].
func (e *Embedded) Set(cfg Config) error { return replace(&e.set, cfg, ModeEmbedded) }

func replace(set *atomic.Pointer[settings], cfg Config, mode Mode) error {
	s, err := settle(cfg, mode)
	if err != nil {
		return err
	}
	if err := set.Load().same(s); err != nil {
		return err
	}
	set.Store(s)
	return nil
}

// allow decides on a bucket of this store.
func (m *Memory) allow(now int64, l Limit, key string, cost float64) Decision {
	return decision(m.TakeAt(now, Take{Key: key, Limit: l, Need: cost}), cost)
}

// decision reads a grant that was all or nothing.
func decision(g Grant, cost float64) Decision {
	return Decision{
		OK:         cost >= 0 && g.RetryAfter == 0,
		RetryAfter: g.RetryAfter,
		Remaining:  g.Remaining,
		ResetAfter: g.ResetAfter,
	}
}

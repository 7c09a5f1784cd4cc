package quota

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// Central asks the store about every request: exact, and a round trip each. Make
// one with [NewCentral].
//
// A request whose answer was lost may have been charged, although OnFailure
// decided about it: that much less is admitted. One that the client library of the
// store sends again is charged once. An instance that crashes costs nothing.
type Central struct {
	store  Store
	set    atomic.Pointer[settings]
	ids    ids
	shares *Memory // what OnFailure local decides on

	asked, failed atomic.Uint64
}

// NewCentral returns a quota whose every decision is the store's, or the faults
// of the configuration.
func NewCentral(cfg Config, store Store) (*Central, error) {
	s, err := settle(cfg, ModeCentral)
	if err != nil {
		return nil, err
	}
	if store == nil {
		return nil, errNoStore
	}
	c := &Central{store: store, ids: ids{prefix: prefix(rand.Uint64)}, shares: NewMemory(s.Keys)}
	c.set.Store(s)
	return c, nil
}

// Allow admits the cost for the key, or refuses it, see [Quota].
func (c *Central) Allow(ctx context.Context, key string, cost float64) Decision {
	return c.AllowOnce(ctx, c.ids.next(), key, cost)
}

// AllowOnce is Allow for a request that may be asked about again, by any
// instance: while the store remembers the id, the same answer is given and nothing
// charged, if the first was that it is admitted. Ids must not be guessable by who
// pays for the requests, and are never used for another cost.
func (c *Central) AllowOnce(ctx context.Context, id, key string, cost float64) Decision {
	s := c.set.Load()
	t, d, ok := s.ask(id, key, cost)
	switch {
	case !ok && s.Rate == 0:
		return d
	case ctx.Err() != nil:
		return Decision{Err: ctx.Err()}
	case !ok:
		return d
	}
	takes := [1]Take{t}
	var grants [1]Grant
	c.asked.Add(1)
	err := ask(ctx, c.store, s.Timeout, takes[:], grants[:])
	switch {
	case err == nil:
		return c.Granted(t, grants[0])
	case ctx.Err() != nil:
		return Decision{Err: ctx.Err()}
	}
	c.failed.Add(1)
	return c.FailedAt(clock.Real.Now(), t, err)
}

// Ask returns what to send to the store about a request, for those who bring their
// own time: Granted or FailedAt decides by what comes of it. It is false if the
// decision stands without.
func (c *Central) Ask(key string, cost float64) (Take, Decision, bool) {
	return c.set.Load().ask(c.ids.next(), key, cost)
}

func (s *settings) ask(id, key string, cost float64) (Take, Decision, bool) {
	switch {
	case s.Rate == 0:
		return Take{}, unlimited(cost), false
	case !(cost >= 0 && cost <= s.Burst):
		return Take{}, Decision{RetryAfter: Never}, false
	}
	return Take{Key: key, ID: id, Limit: s.limit, Need: cost, Remember: s.Remember}, Decision{}, true
}

// Granted decides by the answer of the store to a Take.
func (c *Central) Granted(t Take, g Grant) Decision { return decision(g, t.Need) }

// FailedAt decides as OnFailure says: there is no answer to a Take, and why.
func (c *Central) FailedAt(now int64, t Take, err error) Decision {
	return without(now, c.set.Load(), c.shares, t.Key, t.Need, storeError(err), again)
}

// Set changes the limits, see [Quota].
func (c *Central) Set(cfg Config) error { return replace(&c.set, cfg, ModeCentral) }

// Stats returns what happened so far.
func (c *Central) Stats() Stats { return Stats{Asked: c.asked.Load(), Failed: c.failed.Load()} }

// ask sends takes to the store and waits at most for the timeout.
func ask(ctx context.Context, store Store, timeout time.Duration, takes []Take, grants []Grant) error {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, ErrTimeout)
	defer cancel()
	return store.Take(ctx, takes, grants)
}

func storeError(err error) error { return fmt.Errorf("%w: %w", ErrStore, err) }

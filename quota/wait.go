package quota

import (
	"context"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// Allow admits the cost for the key, or refuses it, see [Quota]. While the slice
// lasts it asks nobody and takes no notice of ctx. When it is spent one caller
// asks the store for the next, and others of the key wait for that, all of them at
// most for Timeout; while the quota runs out, or the store does not answer, it is
// asked once in a Period and nobody else waits.
func (q *Leased) Allow(ctx context.Context, key string, cost float64) Decision {
	s := q.set.Load()
	now := clock.Real.Now()
	d, next, err := q.decide(now, s, key, cost, true)
	if next == decided {
		return d
	}
	until := clock.Add(now, s.Timeout)
	for {
		switch {
		case next == decided:
			return d
		case next == failing:
			return without(now, s, q.shares, key, cost, err, s.period)
		case ctx.Err() != nil:
			return Decision{Err: ctx.Err()}
		case next == askNow && until-now < int64(s.Timeout)/2:
			return Decision{RetryAfter: s.period} // too many wanted the same slice
		case next == askNow:
			if d, done := q.refill(ctx, s, key, cost, time.Duration(until-now)); done {
				return d
			}
		default:
			if err := q.await(ctx, key, time.Duration(until-now)); ctx.Err() != nil {
				return Decision{Err: ctx.Err()}
			} else if err != nil {
				return without(clock.Real.Now(), s, q.shares, key, cost, storeError(err), s.period)
			}
		}
		now = clock.Real.Now()
		d, next, err = q.decide(now, s, key, cost, false)
	}
}

// refill asks the store. It has a decision only about a request of a key that has
// no lease.
func (q *Leased) refill(ctx context.Context, s *settings, key string, cost float64, timeout time.Duration) (Decision, bool) {
	t, ok := q.AskAt(clock.Real.Now(), key, cost)
	if !ok {
		return Decision{}, false // somebody else was quicker
	}
	grants, err := q.send(ctx, timeout, []Take{t})
	if t.Period != 0 {
		return Decision{}, false
	}
	switch {
	case err == nil:
		return decision(grants[0], cost), true
	case ctx.Err() != nil:
		return Decision{Err: ctx.Err()}, true
	}
	return without(clock.Real.Now(), s, q.shares, key, cost, storeError(err), again), true
}

// send carries takes to the store, and its answers back to the leases. That the
// caller went away is no fault of the store.
func (q *Leased) send(ctx context.Context, timeout time.Duration, takes []Take) ([]Grant, error) {
	grants := make([]Grant, len(takes))
	q.trips.Add(1)
	err := ask(ctx, q.store, timeout, takes, grants)
	now := clock.Real.Now()
	if err != nil {
		q.fails.Add(1)
	}
	for i, t := range takes {
		switch {
		case err == nil:
			q.GrantedAt(now, t, grants[i])
		case ctx.Err() != nil:
			q.with(t.Key, func(l *lease) { l.abandoned(&t) })
		default:
			q.FailedAt(now, t, err)
		}
	}
	return grants, err
}

// await waits for the flight of a key to end.
func (q *Leased) await(ctx context.Context, key string, timeout time.Duration) error {
	var f *flight
	q.with(key, func(l *lease) { f = l.flight })
	if f == nil {
		return nil
	}
	limit := time.NewTimer(timeout)
	defer limit.Stop()
	select {
	case <-f.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-limit.C:
		return ErrTimeout
	}
}

package ratelimit

import (
	"context"
	"sync/atomic"

	"github.com/stanch-go/stanch/internal/clock"
)

// A Bucket is a token bucket: tokens come in at Rate and gather up to Burst; a
// request takes as many as it costs. Make one with [NewBucket].
//
// AllowAt takes tokens that are there, ReserveAt also some that come within
// MaxWait, WaitAt waits for them. What is promised to one is there for no other.
//
// In a stretch of time t it admits at most Burst + Rate·t/Window, and a unit.
// Where reservations are cancelled it may be more by what was given back, since
// those behind keep the instants they were told; since the start it never is.
type Bucket struct{ gauge gauge }

// NewBucket returns a full bucket, or the faults of the configuration.
func NewBucket(cfg Config) (*Bucket, error) {
	cfg, err := cfg.as(TokenBucket)
	if err != nil {
		return nil, err
	}
	b := new(Bucket)
	b.gauge.level.Store(newLevel(cfg))
	return b, nil
}

// AllowAt takes tokens that are there. It is one atomic swap.
func (b *Bucket) AllowAt(now int64, cost float64) Decision {
	_, d := b.gauge.take(now, now, cost)
	return d
}

// SetAt changes the limits. Tokens that were taken stay taken, up to the new
// Burst, and promises are kept.
func (b *Bucket) SetAt(now int64, cfg Config) error {
	cfg, err := cfg.as(TokenBucket)
	if err == nil {
		b.gauge.set(now, cfg)
	}
	return err
}

// ReserveAt takes tokens that are there or come within MaxWait. The caller may
// begin at the instant that [Reservation.At] tells. Who does not begin must call
// CancelAt, else others wait for nothing. Without an OK the reservation is nil,
// and RetryAfter is when it could be made.
func (b *Bucket) ReserveAt(now int64, cost float64) (*Reservation, Decision) {
	h, d := b.gauge.take(now, clock.Never, cost)
	if !d.OK {
		return nil, d
	}
	return &Reservation{gauge: &b.gauge, hold: h, cost: cost, at: h.begins(now)}, d
}

// A Reservation is a promise of tokens.
type Reservation struct {
	gauge    *gauge
	hold     hold
	cost     float64
	at       int64
	canceled atomic.Bool
}

// At returns the instant from which the caller may begin.
func (r *Reservation) At() int64 { return r.at }

// CancelAt gives the tokens back: all of them until the instant At, later those
// that have not been refilled since, and after SetAt none then. Only the first
// call has an effect. A nil reservation holds nothing.
func (r *Reservation) CancelAt(now int64) {
	if r != nil && r.canceled.CompareAndSwap(false, true) {
		r.gauge.giveBack(now, r.hold, r.cost, r.at)
	}
}

// WaitAt takes tokens and waits until they are there. It returns nil, or without
// waiting [ErrLimited] if that would take longer than MaxWait and [ErrDeadline]
// if longer than ctx allows, or ctx.Err() if ctx ends; then it has taken nothing.
func (b *Bucket) WaitAt(ctx context.Context, clk clock.Clock, now int64, cost float64) (Decision, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, err
	}
	deadline := int64(clock.Never)
	if t, ok := ctx.Deadline(); ok {
		deadline = clk.Instant(t)
	}
	h, d := b.gauge.take(now, deadline, cost)
	switch {
	case d.OK:
	case d.RetryAfter != Never && deadline < clock.Add(now, b.gauge.level.Load().maxWait):
		return d, ErrDeadline
	default:
		return d, ErrLimited
	}
	begins := h.begins(now)
	if begins <= now {
		return d, nil
	}
	if err := clk.Sleep(ctx, begins); err != nil {
		b.gauge.giveBack(clk.Now(), h, cost, begins)
		return Decision{}, err
	}
	return d, nil
}

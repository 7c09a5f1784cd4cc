package ratelimit

import (
	"context"

	"github.com/stanch-go/stanch/internal/clock"
)

// WaitAt waits for the turn of the cost. It returns nil, or at once [ErrQueueFull],
// [ErrLimited] if the turn is further away than MaxWait and [ErrDeadline] if
// further than ctx allows, or ctx.Err() if ctx ends; then those behind move up.
func (s *Shaper) WaitAt(ctx context.Context, clk clock.Clock, now int64, cost float64) (Decision, error) {
	if err := ctx.Err(); err != nil {
		return Decision{}, err
	}
	deadline := int64(clock.Never)
	if t, ok := ctx.Deadline(); ok {
		deadline = clk.Instant(t)
	}
	w, d, err := s.join(clk, now, deadline, cost)
	if w == nil {
		return d, err
	}
	for {
		until, done, err := s.look(clk, w, now, ctx.Err())
		switch {
		case done && err != nil:
			return Decision{}, err
		case done:
			return d, nil
		}
		w.Wait(ctx, until)
		now = clk.Now()
	}
}

// join lets the caller leave at once, refuses it, or puts it into the queue.
func (s *Shaper) join(clk clock.Clock, now, deadline int64, cost float64) (*waiting, Decision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, d := s.allow(now, cost)
	if d.OK {
		return nil, d, nil
	}
	until := clock.Add(now, s.cfg.MaxWait)
	turn := clock.Add(now, d.RetryAfter)
	switch {
	case d.RetryAfter == Never:
		return nil, d, ErrLimited
	case s.queue.n >= s.cfg.Queue:
		return nil, d, ErrQueueFull
	case turn > until:
		d.RetryAfter = between(until, turn)
		return nil, d, ErrLimited
	case turn > deadline:
		d.RetryAfter = between(deadline, turn)
		return nil, d, ErrDeadline
	}
	w := &waiting{Waiter: clk.NewWaiter(), cost: cost, n: n, until: until}
	s.queue.push(w)
	return w, s.decision(now, true), nil
}

// look ends the wait of a caller whose turn it is, whose context ended or whose
// time is up, or says until when to wait. Only the state decides, never what
// ended a wait.
func (s *Shaper) look(clk clock.Clock, w *waiting, now int64, ended error) (until int64, done bool, err error) {
	s.mu.Lock()
	v := s.at(now)
	s.settle(v)
	first := s.queue.first == w
	switch {
	case ended != nil:
		s.queue.remove(w)
	case first && (s.cfg.Rate == 0 || s.next <= v):
		s.leave(w, v)
	case now >= w.until:
		s.queue.remove(w)
		ended = ErrLimited
	default:
		if w.woken {
			w.Waiter, w.woken = clk.NewWaiter(), false
		}
		until := s.turn(w)
		s.mu.Unlock()
		return until, false, nil
	}
	var wake clock.Waiter = nobody{}
	if first {
		wake = s.queue.alert()
	}
	s.mu.Unlock()
	wake.Wake()
	return 0, true, ended
}

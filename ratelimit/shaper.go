package ratelimit

import (
	"sync"

	"github.com/stanch-go/stanch/internal/clock"
)

// A Shaper is a leaky bucket as a queue (Turner, 1986): calls leave one after the
// other at Rate, those that come early wait in a bounded queue for a bounded
// time. There is no burst, however long it was idle. A call costs at most what
// Rate says for a window, at least 1. Make one with [NewShaper].
//
// After a call of some cost the next leaves when that cost has been refilled. A
// call that leaves late, because the machine was busy, does not delay those
// behind it, but they make up for no more than the one: at no instant leave more
// than two.
type Shaper struct {
	mu sync.Mutex // guards all
	shape
	queue line
}

// A shape is the limits of a shaper, and when the next call may leave.
type shape struct {
	scale
	cfg  Config
	next uint64
}

// NewShaper returns an idle shaper, or the faults of the configuration.
func NewShaper(cfg Config) (*Shaper, error) {
	cfg, err := cfg.as(LeakyShaper)
	if err != nil {
		return nil, err
	}
	return &Shaper{shape: newShape(cfg)}, nil
}

func newShape(cfg Config) shape {
	if cfg.Rate == 0 {
		return shape{cfg: cfg}
	}
	return shape{cfg: cfg, scale: newScale(cfg.Rate, max(cfg.Rate, 1), cfg.Window)}
}

// AllowAt admits the cost if it may leave now and nobody waits. It never waits.
func (s *Shaper) AllowAt(now int64, cost float64) Decision {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, d := s.allow(now, cost)
	return d
}

// allow lets the cost leave at once if it may, and returns it in units. The lock
// is held.
func (s *Shaper) allow(now int64, cost float64) (n uint64, d Decision) {
	if s.cfg.Rate == 0 {
		return 0, unlimited(cost)
	}
	v := s.at(now)
	s.settle(v)
	n, ok := s.units(cost)
	if !ok {
		d = s.decision(now, false)
		d.RetryAfter = Never
		return n, d
	}
	if n > 0 && s.queue.first == nil && s.next <= v {
		s.next = v + n
		return n, s.decision(now, true)
	}
	return n, s.decision(now, n == 0)
}

// SetAt changes the limits. Those who wait keep their place, and leave at the new
// Rate; those for whom that takes longer than they may wait, leave in vain.
func (s *Shaper) SetAt(now int64, cfg Config) error {
	cfg, err := cfg.as(LeakyShaper)
	if err != nil {
		return err
	}
	s.mu.Lock()
	old := s.shape
	s.shape = newShape(cfg)
	if old.cfg.Rate != 0 && cfg.Rate != 0 {
		wait := above(old.next, old.at(now))
		late := old.convert(above(wait, old.burst), &s.scale) // the reading of now
		s.next = s.at(now) + min(old.convert(wait, &s.scale), s.burst+late)
	}
	s.queue.units = 0
	for w := s.queue.first; w != nil; w = w.next {
		w.n, _ = toUnits(w.cost, s.unit)
		w.n = min(w.n, s.burst)
		s.queue.units += w.n
	}
	wake := s.queue.alert()
	s.mu.Unlock()
	wake.Wake()
	return nil
}

// settle believes that time went back if the next call would be further away
// than that and the dearest call explain. The lock is held.
func (s *shape) settle(v uint64) {
	if s.goneBack(s.next, v, s.burst) {
		s.next = v + s.burst
	}
}

// decision describes the shaper after a request. The lock is held.
func (s *Shaper) decision(now int64, ok bool) Decision {
	tail := max(s.next, s.at(now)) + s.queue.units
	d := Decision{OK: ok, ResetAfter: s.after(now, tail)}
	if s.queue.first == nil && s.next <= s.at(now) {
		d.Remaining = float64(s.burst) / s.unit
	}
	if !ok {
		d.RetryAfter = s.after(now, tail)
	}
	return d
}

// leave takes the first waiter, whose turn it is, out of the queue. The lock is
// held.
func (s *Shaper) leave(w *waiting, v uint64) {
	s.queue.remove(w)
	s.next = max(s.next+w.n, v)
}

// turn returns the instant at which a waiter may leave if it is the first, else
// that until which it waits to become it. The lock is held.
func (s *Shaper) turn(w *waiting) int64 {
	if s.queue.first != w {
		return w.until
	}
	return min(w.until, s.when(s.next))
}

var _ clock.Waiter = nobody{}

// nobody is woken when there is nobody to be.
type nobody struct{ clock.Waiter }

func (nobody) Wake()  {}
func (nobody) Renew() {}

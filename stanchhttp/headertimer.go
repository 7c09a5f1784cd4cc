package stanchhttp

import (
	"sync"
	"time"
)

// headerTimer expires a streaming context. It is used again by another one if its
// timer was stopped in time.
type headerTimer struct {
	of    *streaming // changes only while the timer is stopped
	timer *time.Timer
	again bool // it may be used again
}

var headerTimers sync.Pool

// arm sets the timer for the header, if it has a limit. The lock is held.
func (s *streaming) arm() {
	if s.armed || s.ended {
		return
	}
	s.armed = true
	limit, ok := s.attempt.Deadline()
	if !ok {
		return
	}
	now := time.Now()
	again := !bubble(now)
	var h *headerTimer
	if again {
		h, _ = headerTimers.Get().(*headerTimer)
	}
	if h == nil {
		h = &headerTimer{again: again}
	}
	s.header, h.of = h, s
	if h.timer == nil {
		h.timer = time.AfterFunc(limit.Sub(now), func() { h.of.expire() })
	} else {
		h.timer.Reset(limit.Sub(now))
	}
}

// disarm stops the timer. The lock is held.
func (s *streaming) disarm() {
	h := s.header
	s.header = nil
	if h != nil && h.timer.Stop() && h.again {
		h.of = nil
		headerTimers.Put(h)
	}
}

// bubble tells times of a testing/synctest bubble, which have no monotonic
// reading. A timer of a bubble must not be used outside it, nor the other way round.
func bubble(t time.Time) bool { return t == t.Round(0) }

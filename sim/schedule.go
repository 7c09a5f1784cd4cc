package sim

import (
	"math/rand/v2"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// Span returns when the load begins and ends, in nanoseconds from the start.
func (l *Load) Span(m *Model) (from, until int64) {
	until = int64(m.Duration)
	if l.Until > 0 {
		until = min(until, int64(l.Until))
	}
	return int64(l.From), until
}

// A Schedule says when an open loop sends.
type Schedule struct {
	load  *Load
	rand  *rand.Rand
	from  int64
	until int64
	last  int64
	sent  int
}

// Schedule returns the instants of an open loop, drawn from r where they are
// random.
func (l *Load) Schedule(m *Model, r *rand.Rand) *Schedule {
	s := &Schedule{load: l, rand: r}
	s.from, s.until = l.Span(m)
	s.last = s.from
	return s
}

// Next returns when the next request is to be sent, or false when the load is over.
func (s *Schedule) Next() (at int64, ok bool) {
	switch l := s.load; {
	case len(l.Trace) > 0:
		if s.sent == len(l.Trace) {
			return 0, false
		}
		at = clock.Add(s.from, l.Trace[s.sent])
	case l.Arrivals == Poisson:
		gap := s.rand.ExpFloat64() / l.Rate * float64(time.Second)
		at = clock.Add(s.last, saturated(gap))
	default:
		at = clock.Add(s.from, saturated(float64(s.sent)/l.Rate*float64(time.Second)))
	}
	s.sent++
	s.last = at
	return at, at < s.until
}

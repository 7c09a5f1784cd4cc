package quota

import (
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// A lease is what one instance has of one key's quota, and what it knows of the
// demand.
type lease struct {
	tokens float64 // unspent
	ends   int64   // of the term: from then on they are only given back
	reset  int64   // when the bucket is full, as of the last grant

	offered float64 // asked of this instance since counted
	counted int64
	demand  float64 // in a period, at the last ask
	used    int64   // the last request

	flight *flight // not nil while an answer is awaited
	out    Take    // sent and not answered, maybe by an earlier flight
	first  int64   // when out was first sent
	asked  int64   // when it was last sent
	next   int64   // no ask before
	err    error   // of the last ask
}

// A flight is one ask on its way. done is closed when it has ended.
type flight struct{ done chan struct{} }

// A step is what to do about a request.
type step uint8

const (
	decided step = iota // the decision stands
	askNow              // the store has to be asked
	await               // somebody is asking
	failing             // the store does not answer, and it is not yet time to try again
)

// growth bounds how much more is asked for than the last time, so that two
// requests at the same instant are not taken for an endless demand.
const growth = 8

// rest of a sum is a matter of rounding if it is less than this part of the last
// cost. It is not worth a round trip to give it back.
const rest = 1e-9

// decide spends the slice, or says what else to do.
func (l *lease) decide(now int64, s *settings, cost float64) (Decision, step) {
	if now < l.used-lateness { // time went back: what was known in it says nothing
		l.out = Take{}
		l.used, l.ends, l.next, l.counted, l.asked = now, now, now, now, now
	}
	l.used = max(l.used, now)
	if cost == 0 || cost <= l.tokens && now < l.ends {
		if l.tokens -= cost; l.tokens < rest*cost {
			l.tokens = 0
		}
		return Decision{OK: true, Remaining: l.unspent(now), ResetAfter: since(now, l.reset)}, decided
	}
	flying := l.flying(now, s)
	switch {
	case flying && l.err == nil:
		return Decision{}, await
	case l.err != nil && (flying || now < l.next):
		return Decision{}, failing
	case now < l.next:
		return Decision{RetryAfter: since(now, l.next), Remaining: l.unspent(now), ResetAfter: since(now, l.reset)}, decided
	}
	return Decision{}, askNow
}

func (l *lease) unspent(now int64) float64 {
	if now < l.ends {
		return l.tokens
	}
	return 0
}

// flying says that an answer is awaited. A flight that nobody ends, because who
// asked has panicked, is given up in time.
func (l *lease) flying(now int64, s *settings) bool {
	return l.flight != nil && now < clock.Add(l.asked, 2*s.Timeout)
}

// ready says that the store may be asked.
func (l *lease) ready(now int64, s *settings) bool { return now >= l.next && !l.flying(now, s) }

// ask begins a flight. What was sent and not answered is sent again while the
// store knows its ID; after that it may have been charged, and is given up.
func (l *lease) ask(now int64, s *settings, t Take) Take {
	l.land() // of a flight that was given up
	l.flight = &flight{done: make(chan struct{})}
	l.asked = now
	if l.out.ID != "" && now < clock.Add(l.first, s.Remember/2) {
		return l.out
	}
	t.Limit, t.Period, t.Remember = s.limit, s.period, s.Remember
	if now >= l.ends || t.Return > 0 {
		t.Return, l.tokens = l.tokens, 0
	}
	l.out, l.first = t, now
	return t
}

// wanted asks for what is missing for the cost, and for the next period.
func (l *lease) wanted(now int64, s *settings, cost float64) (need, want float64) {
	l.demand = l.measure(now, s)
	l.offered, l.counted = 0, now
	have := l.unspent(now)
	need = max(cost-have, 0)
	return need, max(min(l.demand, s.MaxSlice)-have, need)
}

// measure is the demand in a period: that of now, or half of that before, so that
// a pause does not make the slice of a bursty key vanish.
func (l *lease) measure(now int64, s *settings) float64 {
	elapsed := float64(now - l.counted)
	demand := l.offered * s.horizon / max(elapsed, s.horizon/growth)
	if elapsed <= 2*s.horizon {
		demand = max(demand, l.demand/2)
	}
	return demand
}

// land ends the flight.
func (l *lease) land() {
	if l.flight != nil {
		close(l.flight.done)
		l.flight = nil
	}
}

// granted takes the slice. While the quota runs out the next ask is a pause away,
// or when the store says that the cost will be there.
func (l *lease) granted(now int64, s *settings, t *Take, g Grant, pause time.Duration) {
	if l.out.ID != t.ID {
		return // given up long ago
	}
	l.out, l.err = Take{}, nil
	if g.Granted > 0 {
		l.tokens += g.Granted
		l.ends = clock.Add(l.asked, s.Term)
	}
	l.reset = clock.Add(now, g.ResetAfter)
	l.next = now
	if g.Granted < t.Need {
		pause = max(pause, min(g.RetryAfter, s.Term))
	}
	if g.Granted <= max(t.Want, t.Need)-1 || g.Granted < t.Need {
		l.next = clock.Add(now, pause)
	}
	l.land()
}

// failed remembers the error. What was sent may have been charged, and is sent
// again with the next ask.
func (l *lease) failed(now int64, t *Take, err error, pause time.Duration) {
	if l.out.ID == t.ID {
		l.err = err
		l.next = clock.Add(now, pause)
		l.land()
	}
}

// abandoned ends a flight that says nothing about the store.
func (l *lease) abandoned(t *Take) {
	if l.out.ID == t.ID {
		l.land()
	}
}

func since(from, to int64) time.Duration { return time.Duration(max(to-max(from, 0), 0)) }

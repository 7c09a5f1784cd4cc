package bulkhead

import (
	"slices"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// oracle is a sequential, naive bulkhead: slices, and the rules written out as
// the documentation states them.
type oracle struct {
	size    int
	shares  []*oracleShare
	arrival int
}

// admits takes the slot on trial and looks whether everybody who must be able
// to come still can.
func (o *oracle) admits(i int) bool {
	s := o.shares[i]
	s.inFlight++
	defer func() { s.inFlight-- }()
	free, owed := o.size, 0
	for _, t := range o.shares {
		free -= t.inFlight
		if !t.lend {
			owed += max(0, t.guaranteed-t.inFlight)
		}
	}
	return s.inFlight <= s.max && free >= owed
}

func (o *oracle) try(i int) bool {
	if !o.admits(i) {
		return false
	}
	o.shares[i].inFlight++
	return true
}

func (o *oracle) release(i int, now int64) {
	o.shares[i].inFlight--
	best := -1
	for j, s := range o.shares {
		if len(s.queue) == 0 || !o.admits(j) {
			continue
		}
		if best < 0 || slices.Compare(o.key(j), o.key(best)) < 0 {
			best = j
		}
	}
	if best < 0 {
		return
	}
	s := o.shares[best]
	at := 0
	if s.order == LIFO || s.order == Adaptive && now > s.busySince && uint64(now-s.busySince) >= uint64(100*time.Millisecond) {
		at = len(s.queue) - 1
	}
	s.queue[at].granted = true
	s.queue = slices.Delete(s.queue, at, at+1)
	s.inFlight++
	if at > 0 {
		o.arrival++
		s.turn = o.arrival
	}
}

func (o *oracle) key(i int) []int {
	s := o.shares[i]
	above := 1
	if s.inFlight < s.guaranteed {
		above = 0
	}
	return []int{above, max(s.turn, s.queue[0].id)}
}

type oracleShare struct {
	guaranteed, max, room int
	lend                  bool
	order                 Order
	inFlight              int
	queue                 []*call
	busySince             int64
	turn                  int
	linger                int64
	lingering             []int64 // the ends
}

// abandon keeps the permit in flight for a while. None lingers longer than the
// latest, which matters when the clock has stepped back.
func (o *oracle) abandon(i int, now int64) {
	s := o.shares[i]
	if s.linger == 0 {
		o.release(i, now)
		return
	}
	end := clock.Add(now, time.Duration(s.linger))
	for j := range s.lingering {
		s.lingering[j] = min(s.lingering[j], end)
	}
	s.lingering = append(s.lingering, end)
}

// lapse ends all lingering that is over or, if a share is alive, all of its.
func (o *oracle) lapse(now int64, alive int) {
	for i, s := range o.shares {
		for len(s.lingering) > 0 && (alive < 0 && s.lingering[0] <= now || i == alive) {
			s.lingering = s.lingering[1:]
			o.release(i, now)
		}
	}
}

// hopeless says that every permit the share may have lingers beyond the instant.
func (s *oracleShare) hopeless(until int64) bool {
	return len(s.lingering) == s.max && s.lingering[0] > until
}

package shed

import "math"

// Stats is the state of a shedder, and its totals since it was made.
type Stats struct {
	Limit    int // requests that may be in flight at once; 0 if there is no limit
	InFlight int
	Waiting  int

	// Shedding says that requests are refused for their rank. Those of Priority
	// and Level pass just yet, and all above.
	Shedding bool
	Priority Priority
	Level    Level

	// Totals by priority, from Sheddable to CriticalPlus.
	Totals [4]Totals
}

// Totals are numbers of requests.
type Totals struct {
	Admitted uint64 // at once, or after a wait

	// Refused, by reason.
	Rank, Full, Delay, Deadline, Canceled uint64
}

// LetIn returns the share of the users of a priority that are not refused for their
// rank, from 0 to 1.
func (s Stats) LetIn(p Priority) float64 {
	switch {
	case !s.Shedding || p > s.Priority:
		return 1
	case p < s.Priority:
		return 0
	}
	return float64(Levels+1-int(s.Level)) / Levels
}

// Of returns the totals of a priority.
func (s Stats) Of(p Priority) Totals { return s.Totals[p.index()] }

// Refused returns how many were refused, for any reason.
func (t Totals) Refused() uint64 { return t.Rank + t.Full + t.Delay + t.Deadline + t.Canceled }

// StatsAt returns the statistics. It takes the lock briefly, and is meant for
// reports, not for each request.
func (s *Shedder) StatsAt(now int64) Stats {
	limit := s.limit()
	if limit == math.MaxInt {
		limit = 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	lowest := int(s.lowest.Load())
	if s.settings.Load().stale(s.began.Load(), now) {
		lowest = 0
	}
	st := Stats{
		Limit:    limit,
		InFlight: s.permits.Used(),
		Waiting:  s.queue.n,
		Shedding: lowest > 0,
		Priority: Sheddable + Priority(lowest/Levels),
		Level:    Level(lowest%Levels) + 1,
	}
	for p := range st.Totals {
		by := &s.refused[p]
		st.Totals[p] = Totals{
			Admitted: s.admitted[p],
			Rank:     by[rank].Load(),
			Full:     by[full].Load(),
			Delay:    by[delay].Load(),
			Deadline: by[deadline].Load(),
			Canceled: by[canceled].Load(),
		}
	}
	return st
}

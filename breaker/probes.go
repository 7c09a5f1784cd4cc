package breaker

import "github.com/stanch-go/stanch/internal/clock"

// probes is the list of the probes in flight. A probe keeps its place until
// it reports or its lease is over, also when the breaker has gone on without
// it, so that the list bounds what really is in flight.
type probes struct {
	list   []probe
	serial uint64 // of the latest; a place that is given again has another
}

type probe struct {
	serial     uint64
	generation uint64
	end        int64 // of its lease
	early      bool  // sent by the trickle
}

func (s *probes) add(generation uint64, end int64, early bool) uint64 {
	s.serial++
	s.list = append(s.list, probe{s.serial, generation, end, early})
	return s.serial
}

// remove takes a probe off the list, if it is still there.
func (s *probes) remove(serial uint64) (probe, bool) {
	for i, p := range s.list {
		if p.serial == serial {
			s.cut(i)
			return p, true
		}
	}
	return probe{}, false
}

// cut takes a probe off the list. The order does not matter.
func (s *probes) cut(i int) {
	last := len(s.list) - 1
	s.list[i] = s.list[last]
	s.list = s.list[:last]
}

// expire takes those off whose lease is over.
func (s *probes) expire(now int64) {
	for i := len(s.list) - 1; i >= 0; i-- {
		if s.list[i].end <= now {
			s.cut(i)
		}
	}
}

// overdue finds the first lease that is over, of a probe whose failure counts
// in this generation.
func (s *probes) overdue(generation uint64, now int64) (end int64, found bool) {
	end = now
	for _, p := range s.list {
		if p.generation == generation && !p.early && p.end <= end {
			end, found = p.end, true
		}
	}
	return end, found
}

// firstEnd is when the first lease is over.
func (s *probes) firstEnd() int64 {
	end := int64(clock.Never)
	for _, p := range s.list {
		end = min(end, p.end)
	}
	return end
}

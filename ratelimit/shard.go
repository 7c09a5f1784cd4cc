package ratelimit

func (s *shard) allow(now int64, hash uint64, cost float64) Decision {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off {
		return unlimited(cost)
	}
	v := s.advance(now)
	p := s.find(hash, v)
	tat := s.shared // what a new key may have used while it had no place
	if p != nil && p.hash == hash {
		tat = p.tat
	} else if p == nil || tat > v {
		s.overflow++
	}
	n, ok := s.scale.units(cost)
	next := max(tat, v) + n
	if n == 0 || !ok || next > v+s.scale.burst {
		d := s.scale.state(now, v, tat)
		switch {
		case !ok:
			d.RetryAfter = Never
		case n == 0:
			d.OK = true
		default:
			d.RetryAfter = s.scale.after(now, next-s.scale.burst)
		}
		return d
	}
	if p == nil {
		s.shared = next
	} else {
		*p = slot{hash, next}
	}
	d := s.scale.state(now, v, next)
	d.OK = true
	return d
}

// advance returns the latest instant seen, in units. A caller with an older
// reading of the clock would take a key for new whose place was just given away.
// The lock is held.
func (s *shard) advance(now int64) uint64 {
	now = max(now, 0)
	if s.last-now > int64(lateness) { // time went back
		s.last = now
		most := s.scale.at(now) + s.scale.burst
		for i := range s.slots {
			s.slots[i].tat = min(s.slots[i].tat, most)
		}
		s.shared = min(s.shared, most)
	}
	s.last = max(s.last, now)
	return s.scale.at(s.last)
}

// find returns the place of a key, else a free one, else nil. A key has two sets
// of slots to be in and goes into the emptier one, so that sets are hardly ever
// full before all are (Azar and others, Balanced Allocations, 1999). The lock is
// held.
func (s *shard) find(hash, v uint64) *slot {
	var place *slot
	most := 0
	for _, h := range [2]uint64{hash, hash * 0x9e3779b97f4a7c15} {
		set := s.set8(uint32(h >> 16))
		var free *slot
		n := 0
		for i := range set {
			switch p := &set[i]; {
			case p.hash == hash:
				return p
			case p.tat <= v:
				free = p
				n++
			}
		}
		if n > most {
			place, most = free, n
		}
	}
	return place
}

func (s *shard) set8(h uint32) []slot {
	sets := uint64(len(s.slots) / perSet)
	i := uint64(h) * sets >> 32
	return s.slots[i*perSet : (i+1)*perSet]
}

func (s *shard) set(now int64, to scale, off bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.advance(now)
	w := to.at(s.last)
	convert := func(tat uint64) uint64 {
		used := s.scale.convert(above(tat, v), &to)
		if s.off || off || used == 0 {
			return 0
		}
		return w + min(used, to.burst)
	}
	if s.scale != (scale{}) {
		for i := range s.slots {
			s.slots[i].tat = convert(s.slots[i].tat)
		}
		s.shared = convert(s.shared)
	}
	s.scale, s.off = to, off
}

func (s *shard) len(now int64) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	v := s.advance(now)
	for i := range s.slots {
		if s.slots[i].tat > v {
			n++
		}
	}
	return n
}

package sim

import "time"

// sampler looks at what no event tells of: the limits, and what is held of quotas.
type sampler struct {
	w     *world
	every int64
	doors []*door
}

func (s *sampler) watch(d *door) {
	if len(s.doors) == 0 {
		s.w.sched.At(0, s)
	}
	s.doors = append(s.doors, d)
}

// Fire looks at all doors, those of one service being together.
func (s *sampler) Fire() {
	now := s.w.sched.Now()
	for i := 0; i < len(s.doors); {
		first, limit := s.doors[i].s.name, 0
		for ; i < len(s.doors) && s.doors[i].s.name == first; i++ {
			limit += s.doors[i].control.Stats().Shed.Limit
		}
		s.w.rec.Limit(first, now, limit)
		for _, q := range s.doors[i-1].seen.quotas {
			q.look()
		}
	}
	if next := now + s.every; next < int64(s.w.model.Duration) {
		s.w.sched.At(next, s)
	}
}

// sampleEvery is often enough for the charts, and for each second.
func sampleEvery(m *Model) int64 {
	return min(max(int64(m.Duration)/steps, int64(time.Millisecond)), int64(time.Second))
}

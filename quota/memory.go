package quota

import (
	"context"
	"hash/maphash"
	"sync"

	"github.com/stanch-go/stanch/internal/clock"
)

// Memory is a [Store] in this process, for one instance, for tests and for
// simulations. It holds a bounded number of keys; one whose bucket is full again
// is as one never seen, and gives its place away. New keys that find no place
// share one bucket until there is: so no key ever gets more than its limit.
// Make one with [NewMemory].
type Memory struct {
	seed   maphash.Seed
	shards [memoryShards]memoryShard
}

type memoryShard struct {
	mu      sync.Mutex // guards all
	places  int
	buckets map[string]held
	shared  bucket // of the keys without a place
	opened  bool   // shared has been used
	seen    recent
	latest  int64 // the latest instant seen
}

type held struct {
	bucket
	full int64 // when the place is free
}

const (
	memoryShards = 16
	defaultKeys  = 100_000
	looks        = 8 // places that are looked at for one that is free
)

// NewMemory returns a store for about so many keys in use at once; 0 means
// 100000. A key in use takes about 100 bytes and its name.
func NewMemory(keys int) *Memory {
	if keys <= 0 {
		keys = defaultKeys
	}
	m := &Memory{seed: maphash.MakeSeed()}
	for i := range m.shards {
		m.shards[i].places = (keys-1)/memoryShards + 1
		m.shards[i].buckets = map[string]held{}
	}
	return m
}

// TakeAt carries out one Take. A Limit that is not positive grants nothing.
func (m *Memory) TakeAt(now int64, t Take) Grant {
	if l := t.Limit; !(l.Rate > 0 && l.Burst > 0 && l.Window > 0) {
		return Grant{RetryAfter: Never}
	}
	s := &m.shards[maphash.String(m.seed, t.Key)%memoryShards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.ID != "" {
		if g, ok := s.seen.get(now, t.Key, t.ID); ok {
			return g
		}
	}
	g := s.take(now, &t)
	if t.changed(g) {
		s.seen.put(now, &t, g)
	}
	return g
}

// Take is TakeAt now for each of the takes. It does not fail.
func (m *Memory) Take(_ context.Context, takes []Take, grants []Grant) error {
	now := clock.Real.Now()
	for i := range takes {
		grants[i] = m.TakeAt(now, takes[i])
	}
	return nil
}

func (s *memoryShard) take(now int64, t *Take) Grant {
	// A bucket that is full is forgotten, but not when that was: a caller with an
	// older reading of the clock would otherwise fill it a second time.
	if now > s.latest || now < s.latest-lateness {
		s.latest = max(now, 0)
	}
	h, known := s.buckets[t.Key]
	if !known {
		if len(s.buckets) >= s.places && !s.free(now) {
			if !s.opened {
				s.opened, s.shared = true, bucket{t.Limit.Burst, s.latest}
			}
			return s.shared.take(now, t)
		}
		h.bucket = bucket{t.Limit.Burst, s.latest}
	}
	g := h.take(now, t)
	if h.level >= t.Limit.Burst {
		delete(s.buckets, t.Key)
		return g
	}
	h.full = h.bucket.full(t.Limit)
	s.buckets[t.Key] = h
	return g
}

// free makes a place if it finds one whose bucket is full.
func (s *memoryShard) free(now int64) bool {
	n := 0
	for key, h := range s.buckets { // in an order that differs each time
		if h.full <= now {
			delete(s.buckets, key)
			return true
		}
		if n++; n == looks {
			break
		}
	}
	return false
}

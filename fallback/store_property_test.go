package fallback

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// model is the store as one would write it without a thought for speed: a
// slice in order of use, least recent first.
type model struct {
	maxAge, maxBytes int64
	maxEntries       int
	snapshots        []snapshot
}

type snapshot struct {
	key      string
	at, size int64
	value    string
}

func (m *model) index(key string) int {
	for i, s := range m.snapshots {
		if s.key == key {
			return i
		}
	}
	return -1
}

func (m *model) remove(i int) snapshot {
	s := m.snapshots[i]
	m.snapshots = append(append([]snapshot(nil), m.snapshots[:i]...), m.snapshots[i+1:]...)
	return s
}

func (m *model) bytes() (total int64) {
	for _, s := range m.snapshots {
		total += s.size
	}
	return total
}

func (m *model) put(now int64, key, value string) bool {
	size := int64(len(key) + len(value))
	i := m.index(key)
	if size > m.maxBytes || i >= 0 && now < m.snapshots[i].at {
		return false
	}
	if i >= 0 {
		m.remove(i)
	}
	m.snapshots = append(m.snapshots, snapshot{key, now, size, value})
	for m.bytes() > m.maxBytes || len(m.snapshots) > m.maxEntries {
		m.remove(0)
	}
	return true
}

func (m *model) lookup(now int64, key string) (string, time.Duration, bool) {
	i := m.index(key)
	if i < 0 {
		return "", 0, false
	}
	s := m.remove(i)
	age := max(now-s.at, 0)
	if age > m.maxAge {
		return "", 0, false
	}
	m.snapshots = append(m.snapshots, s)
	return s.value, time.Duration(age), true
}

func (m *model) delete(key string) {
	if i := m.index(key); i >= 0 {
		m.remove(i)
	}
}

// pair is the store and its model under the same steps.
type pair struct {
	store *Store[string, string]
	model *model
}

func newPair(t testing.TB, maxAge, maxBytes int64, maxEntries int) pair {
	return pair{
		newStore(t, StoreConfig{MaxAge: time.Duration(maxAge), MaxBytes: maxBytes, MaxEntries: maxEntries}),
		&model{maxAge: maxAge, maxBytes: maxBytes, maxEntries: maxEntries},
	}
}

func (p pair) step(t rapid.TB, what byte, now int64, key, value string) {
	switch what % 4 {
	case 0, 1:
		if got, want := p.store.PutAt(now, key, value), p.model.put(now, key, value); got != want {
			t.Fatalf("put %q at %d = %v, want %v", key, now, got, want)
		}
	case 2:
		v, age, ok := p.store.LookupAt(now, key)
		if wv, wage, wok := p.model.lookup(now, key); v != wv || age != wage || ok != wok {
			t.Fatalf("lookup %q at %d = %q, %v, %v, want %q, %v, %v", key, now, v, age, ok, wv, wage, wok)
		}
	case 3:
		p.store.Delete(key)
		p.model.delete(key)
	}
	if p.store.Bytes() != p.model.bytes() || p.store.Len() != len(p.model.snapshots) {
		t.Fatalf("%d entries in %d bytes, want %d in %d", p.store.Len(), p.store.Bytes(), len(p.model.snapshots), p.model.bytes())
	}
}

func TestPropertyStoreIsItsModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := newPair(t,
			rapid.Int64Range(1, 20).Draw(rt, "max age"),
			rapid.Int64Range(1, 30).Draw(rt, "max bytes"),
			rapid.IntRange(1, 6).Draw(rt, "max entries"))
		var now int64
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			now += rapid.Int64Range(-2, 5).Draw(rt, "passes") // backwards at times
			p.step(rt,
				rapid.Byte().Draw(rt, "what"), now,
				rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h"}).Draw(rt, "key"),
				rapid.StringN(0, 8, 12).Draw(rt, "value"))
		}
	})
}

// The count of bytes is exact and the bounds hold, whoever does what at once.
func TestPropertyStoreCountsUnderConcurrency(t *testing.T) {
	s := newStore(t, StoreConfig{MaxAge: 50, MaxBytes: 100, MaxEntries: 20})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 3000 {
				key := string(rune('a' + rand.IntN(26)))
				switch rand.IntN(4) {
				case 0, 1:
					s.PutAt(int64(i), key, "0123456789"[:rand.IntN(10)])
				case 2:
					s.LookupAt(int64(i), key)
				case 3:
					s.Delete(key)
				}
				if b, n := s.Bytes(), s.Len(); b > 100 || n > 20 {
					t.Errorf("%d bytes in %d entries, beyond the bounds", b, n)
				}
			}
		})
	}
	wg.Wait()
	var bytes int64
	listed := 0
	for e := s.used.head.older; e != &s.used.head; e = e.older {
		bytes += e.size
		listed++
		if s.entries[e.key] != e {
			t.Errorf("%q is in the list and not in the map", e.key)
		}
	}
	if bytes != s.Bytes() || listed != s.Len() {
		t.Errorf("the list has %d entries in %d bytes, the store says %d in %d", listed, bytes, s.Len(), s.Bytes())
	}
}

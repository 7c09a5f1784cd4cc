package fallback

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// StoreConfig bounds a Store.
type StoreConfig struct {
	// MaxAge is how old a snapshot may be and still be served. Default 1h;
	// must not be negative.
	MaxAge time.Duration `yaml:"max_age"`
	// MaxBytes is how much all snapshots may take together, by the store's
	// measure of size. Default 64 MiB; must not be negative.
	MaxBytes int64 `yaml:"max_bytes"`
	// MaxEntries is how many snapshots there may be. Default 10000; must not
	// be negative.
	MaxEntries int `yaml:"max_entries"`
	// RefreshLease is how long callers of Refresh wait for the same load;
	// after it the next of them starts another, so that a load that hangs
	// does not hold up its key for ever. Default 10s; must not be negative.
	RefreshLease time.Duration `yaml:"refresh_lease"`
}

// Validate returns all faults of the configuration.
func (c StoreConfig) Validate() error {
	var faults []error
	if c.MaxAge < 0 {
		faults = append(faults, negative("max_age", c.MaxAge))
	}
	if c.MaxBytes < 0 {
		faults = append(faults, negative("max_bytes", c.MaxBytes))
	}
	if c.MaxEntries < 0 {
		faults = append(faults, negative("max_entries", c.MaxEntries))
	}
	if c.RefreshLease < 0 {
		faults = append(faults, negative("refresh_lease", c.RefreshLease))
	}
	return errors.Join(faults...)
}

// Store keeps the last good value of every key in memory: what is still true
// enough when the source does not answer. It is bounded in age, bytes and
// entries; where it is full, the least recently used snapshot leaves.
//
// A value is shared by all who look it up: nobody may modify it. A Store is
// safe for concurrent use.
type Store[K comparable, T any] struct {
	maxAge     time.Duration
	maxBytes   int64
	maxEntries int
	lease      time.Duration
	size       func(K, T) int64
	clk        clock.Clock

	mu      sync.Mutex // guards all below
	entries map[K]*entry[K, T]
	used    list[K, T]
	bytes   int64
	flights map[K]*flight[T]
}

// NewStore returns an empty store, or the faults of the configuration. size
// measures a snapshot in bytes; nil means an estimate that follows pointers and
// adds what the store itself needs for the entry. Its cost grows with the
// number of pointers in the value, so for big values give a cheaper one.
func NewStore[K comparable, T any](cfg StoreConfig, size func(K, T) int64) (*Store[K, T], error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if size == nil {
		size = footprint[K, T]
	}
	cfg = cfg.Effective()
	s := &Store[K, T]{
		maxAge:     cfg.MaxAge,
		maxBytes:   cfg.MaxBytes,
		maxEntries: cfg.MaxEntries,
		lease:      cfg.RefreshLease,
		size:       size,
		clk:        clock.Real,
		entries:    make(map[K]*entry[K, T]),
		flights:    make(map[K]*flight[T]),
	}
	s.used.init()
	return s, nil
}

// Put is PutAt at the current instant.
func (s *Store[K, T]) Put(key K, v T) bool { return s.PutAt(s.clk.Now(), key, v) }

// PutAt stores v as the value of key as of the instant now, in monotonic
// nanoseconds, and reports whether it did. It does not, and keeps what it has,
// when v alone is larger than MaxBytes, when it has a value of a later instant,
// for then v was overtaken, or when key is not equal to itself (NaN).
func (s *Store[K, T]) PutAt(now int64, key K, v T) bool {
	size := max(s.size(key, v), 0) // not under the lock: it is the user's code
	if size > s.maxBytes || !findable(key) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.entries[key]; old != nil {
		if now < old.at {
			return false
		}
		s.remove(old)
	}
	for len(s.entries) >= s.maxEntries || s.bytes > s.maxBytes-size {
		s.remove(s.used.oldest())
	}
	e := &entry[K, T]{key: key, value: v, at: now, size: size}
	s.entries[key] = e
	s.used.add(e)
	s.bytes += size
	return true
}

// Lookup is LookupAt at the current instant.
func (s *Store[K, T]) Lookup(key K) (v T, age time.Duration, ok bool) {
	return s.LookupAt(s.clk.Now(), key)
}

// LookupAt returns the value of key, how old it is at the instant now, and
// whether there is one that is not older than MaxAge. One that is older is
// dropped.
func (s *Store[K, T]) LookupAt(now int64, key K) (v T, age time.Duration, ok bool) {
	v, age, err := s.lookup(now, key, s.maxAge)
	return v, age, err == nil
}

// Get returns a loader of the value of key, for an alternative: it reads
// memory only and reports the age. Its errors are ErrNoSnapshot and ErrTooOld.
func (s *Store[K, T]) Get(key K) Loader[T] { return s.GetWithin(key, s.maxAge) }

// GetWithin is Get with a bound on the age for this use, which can only be
// stricter than MaxAge.
func (s *Store[K, T]) GetWithin(key K, maxAge time.Duration) Loader[T] {
	return func(ctx context.Context) (T, error) {
		v, age, err := s.lookup(s.clk.Now(), key, maxAge)
		if err == nil {
			ReportAge(ctx, age)
		}
		return v, err
	}
}

// Delete drops the value of key.
func (s *Store[K, T]) Delete(key K) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[key]; e != nil {
		s.remove(e)
	}
}

// Len returns the number of snapshots, those that are too old but not yet
// dropped among them.
func (s *Store[K, T]) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.entries)
}

// Bytes returns the size of all snapshots together.
func (s *Store[K, T]) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

func (s *Store[K, T]) lookup(now int64, key K, maxAge time.Duration) (v T, age time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock() // deferred, for a map panics on a key that cannot be hashed
	e := s.entries[key]
	if e == nil {
		return v, 0, ErrNoSnapshot
	}
	age = clock.Between(e.at, now)
	if age > s.maxAge {
		s.remove(e)
		return v, 0, ErrTooOld
	}
	if age > maxAge {
		return v, 0, ErrTooOld
	}
	s.used.touch(e)
	return e.value, age, nil
}

// remove takes e out of everything. The caller holds mu.
func (s *Store[K, T]) remove(e *entry[K, T]) {
	delete(s.entries, e.key)
	s.used.remove(e)
	s.bytes -= e.size
}

// findable reports whether a map would find the key again. A NaN, or a key
// that contains one, stays in a map for ever.
func findable[K comparable](key K) bool {
	same := key
	return key == same
}

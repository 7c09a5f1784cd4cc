package ratelimit

import (
	"fmt"
	"hash/maphash"
	"math/bits"
	"sync"
)

// A Keyed has a limit of its own for each of a great many keys: the exact state
// of a [Meter] in 16 bytes, at most 28 bytes a key with what must be free, and
// no pointers, so that the garbage collector does not look at them. It is
// divided into shards with a lock each. Make one with [NewKeyed].
//
// A key whose bucket is full again is as one never seen, and only then its place
// goes to another. When there is no place, new keys share one state and so one
// limit, until there is and the shared state is at rest; known keys do not
// notice. So no key ever gets more than its limit, and who makes up keys without
// end costs no memory.
//
// Keys are told apart by 64 bits of a seeded hash. Two that collide share a limit:
// among a million keys the chance that any do is one in 37 million.
type Keyed struct {
	seed   maphash.Seed
	shards []shard
	shift  int // of a hash, for the number of the shard

	mu   sync.Mutex // of SetAt
	keys int
}

type shard struct {
	mu       sync.Mutex // guards all
	scale    scale
	off      bool
	last     int64  // latest instant seen
	shared   uint64 // TAT of the keys without a place
	overflow uint64 // requests decided on it
	slots    []slot
	_        [32]byte // apart from the next shard's lock
}

// A slot is a place for a key. Free is one whose TAT has passed, the zero slot
// among them.
type slot struct{ hash, tat uint64 }

const (
	perSet       = 8    // slots that are looked at together: two cache lines
	keysPerShard = 4096 // at least: few keys spread too unevenly
	maxShards    = 64
)

// NewKeyed returns a limiter for keys, or the faults of the configuration.
func NewKeyed(cfg KeyedConfig) (*Keyed, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if cfg.Keys == 0 {
		cfg.Keys = defaultKeys
	}
	k := &Keyed{seed: maphash.MakeSeed(), keys: cfg.Keys}
	n := min(maxShards, 1<<(bits.Len(uint(cfg.Keys/keysPerShard+1))-1))
	k.shift = 64 - bits.Len(uint(n-1))
	k.shards = make([]shard, n)
	// Seven slots for four keys: then the two sets of a key are hardly ever full.
	sets := (cfg.Keys*7/4)/(n*perSet) + 1
	for i := range k.shards {
		k.shards[i].slots = make([]slot, max(sets, 2)*perSet)
	}
	k.set(0, cfg)
	return k, nil
}

// AllowAt admits the cost for the key, or refuses it and changes nothing. A key
// may be built in place, string(bytes): it is not kept.
func (k *Keyed) AllowAt(now int64, key string, cost float64) Decision {
	h := maphash.String(k.seed, key)
	return k.shards[h>>k.shift].allow(now, h, cost)
}

// SetAt changes the limits of all keys, one shard after the other: it looks at
// every place. What was used stays used, up to the new Burst. Keys cannot be
// changed, and may be left out.
func (k *Keyed) SetAt(now int64, cfg KeyedConfig) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if cfg.Keys != 0 && cfg.Keys != k.keys {
		return fmt.Errorf("keys: cannot be changed from %d, is %d", k.keys, cfg.Keys)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.set(now, cfg)
	return nil
}

func (k *Keyed) set(now int64, cfg KeyedConfig) {
	one := cfg.one().Effective()
	var s scale
	if one.Rate != 0 {
		s = newScale(one.Rate, one.Burst, one.Window)
	}
	for i := range k.shards {
		k.shards[i].set(now, s, one.Rate == 0)
	}
}

// LenAt returns how many keys have a place and are not at rest. It looks at every
// place: for metrics, not for every request.
func (k *Keyed) LenAt(now int64) int {
	n := 0
	for i := range k.shards {
		n += k.shards[i].len(now)
	}
	return n
}

// Overflowed returns how many requests were decided on the state that new keys
// share when there is no place. More than a few mean that Keys is too low, or that
// somebody makes up keys.
func (k *Keyed) Overflowed() uint64 {
	n := uint64(0)
	for i := range k.shards {
		s := &k.shards[i]
		s.mu.Lock()
		n += s.overflow
		s.mu.Unlock()
	}
	return n
}

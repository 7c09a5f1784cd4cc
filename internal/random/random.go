// Package random is the module's source of randomness: seeded, so that the
// simulator repeats itself, and safe for concurrent use without a lock, so
// that one generator serves all callers of a client.
package random

import (
	"math/rand/v2"
	"sync/atomic"
)

// golden is 2^64 divided by the golden ratio, made odd: the step of SplitMix64.
const golden = 0x9e3779b97f4a7c15

// A Source is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom
// number generators", OOPSLA 2014) over an atomic counter. Its period is 2^64.
// It is safe for concurrent use, and it is not for cryptography.
//
// Goroutines that share a Source share one sequence: who gets which number
// depends on their order. A component that must be repeatable owns its Source.
type Source struct {
	state atomic.Uint64
}

// NewSource returns a source whose sequence is determined by seed.
func NewSource(seed uint64) *Source {
	s := new(Source)
	s.state.Store(seed)
	return s
}

// Uint64 returns the next number of the sequence. It makes Source a [rand.Source].
func (s *Source) Uint64() uint64 {
	z := s.state.Add(golden)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// New returns a generator over its own [Source]. A [rand.Rand] keeps no state
// beside its source, so this one is safe for concurrent use as well.
func New(seed uint64) *rand.Rand {
	return rand.New(NewSource(seed))
}

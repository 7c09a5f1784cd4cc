// Package durations counts durations for metrics, in buckets that are the same in
// the whole module.
package durations

import (
	"sync/atomic"
	"time"
)

// Bounds are the upper ends of the buckets; one more bucket has what is longer.
var Bounds = [...]time.Duration{
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second,
}

// Buckets are how many durations there were up to each of Bounds and beyond the one
// before.
type Buckets [len(Bounds) + 1]uint64

// Sum returns how many there were.
func (b *Buckets) Sum() (n uint64) {
	for _, x := range b {
		n += x
	}
	return n
}

// A Counter counts. The zero value is ready to use; its methods are safe for
// concurrent use.
type Counter struct {
	buckets [len(Bounds) + 1]atomic.Uint64
	sum     atomic.Int64
}

// Add counts d.
func (c *Counter) Add(d time.Duration) {
	i := 0
	for i < len(Bounds) && d > Bounds[i] {
		i++
	}
	c.buckets[i].Add(1)
	c.sum.Add(int64(d))
}

// Read returns how many there were, and how long they took together.
func (c *Counter) Read() (b Buckets, sum time.Duration) {
	for i := range c.buckets {
		b[i] = c.buckets[i].Load()
	}
	return b, time.Duration(c.sum.Load())
}

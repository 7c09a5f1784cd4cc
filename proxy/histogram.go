package proxy

import (
	"sync/atomic"
	"time"
)

// Bounds are the upper ends of the buckets of histograms; one more bucket has
// what is longer.
var Bounds = [...]time.Duration{
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second, 30 * time.Second,
}

// A histogram counts durations in the buckets of Bounds.
type histogram struct {
	buckets [len(Bounds) + 1]atomic.Uint64
	sum     atomic.Int64
}

func (h *histogram) add(d time.Duration) {
	i := 0
	for i < len(Bounds) && d > Bounds[i] {
		i++
	}
	h.buckets[i].Add(1)
	h.sum.Add(int64(d))
}

// A Histogram is how many durations there were in each bucket of Bounds.
type Histogram struct {
	Buckets [len(Bounds) + 1]uint64 `json:"buckets"`
	Count   uint64                  `json:"count"`
	Sum     time.Duration           `json:"sum"`
}

func (h *histogram) read() Histogram {
	var out Histogram
	for i := range h.buckets {
		out.Buckets[i] = h.buckets[i].Load()
		out.Count += out.Buckets[i]
	}
	out.Sum = time.Duration(h.sum.Load())
	return out
}

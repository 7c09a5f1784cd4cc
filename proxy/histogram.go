package proxy

import (
	"time"

	"github.com/stanch-go/stanch/internal/durations"
)

// Bounds are the upper ends of the buckets of histograms; one more bucket has
// what is longer.
var Bounds = durations.Bounds

// A Histogram is how many durations there were in each bucket of Bounds.
type Histogram struct {
	Buckets [len(Bounds) + 1]uint64 `json:"buckets"`
	Count   uint64                  `json:"count"`
	Sum     time.Duration           `json:"sum"`
}

func histogramOf(c *durations.Counter) Histogram {
	buckets, sum := c.Read()
	return Histogram{buckets, buckets.Sum(), sum}
}

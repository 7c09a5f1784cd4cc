package shed

import (
	"sync/atomic"
	"time"
)

// service is how long requests take that are served.
type service struct {
	mean float64 // nanoseconds, of late

	// least is what one takes at the least. It falls quickly and rises slowly,
	// and so is near the fastest tenth: a request that has less time left will
	// hardly finish. Each refusal makes it less sure of itself, as it may be that
	// only the refused ones would have been fast.
	least atomic.Int64
}

const (
	meanStep  = 0.05
	leastDown = 0.1
	leastUp   = 0.01
	doubt     = 256
)

// add is called with the lock of the shedder held.
func (s *service) add(took time.Duration) {
	t := float64(max(took, 1))
	if s.mean == 0 {
		s.mean = t
		s.least.Store(int64(t))
		return
	}
	s.mean += meanStep * (t - s.mean)
	least := float64(s.least.Load())
	if t < least {
		least += leastDown * (t - least)
	} else {
		least += leastUp * (t - least)
	}
	s.least.Store(int64(least))
}

// hopeless says that a request cannot finish in the time that is left.
func (s *service) hopeless(left time.Duration) bool {
	least := s.least.Load()
	if int64(left) >= max(least, 1) {
		return false
	}
	if left > 0 {
		s.least.Store(least - least/doubt)
	}
	return true
}

package sim

import "time"

// A FixedWindow is the limit that incidents have, and that the library does not:
// it counts in windows of the clock, so that at the turn of one twice the rate
// passes within an instant.
type FixedWindow struct {
	// Rate is how many requests each Window lets in. Range 1 to 1000000000.
	Rate int `yaml:"rate" strict:"required"`
	// Window is how long a window is. Range 1ms to 24h.
	Window time.Duration `yaml:"window" strict:"required"`
}

// Validate returns every fault of the limit.
func (w FixedWindow) Validate() error {
	var f faults
	f.check(w.Rate >= 1 && w.Rate <= 1e9, "rate: must be between 1 and 1000000000, is %d", w.Rate)
	f.check(w.Window >= time.Millisecond && w.Window <= maxDuration, "window: must be between 1ms and %v, is %v", maxDuration, w.Window)
	return f.err()
}

// fixedWindow is the limit at work in one instance.
type fixedWindow struct {
	FixedWindow
	began int64
	count int
}

// allowAt counts a request, or refuses it until the next window.
func (w *fixedWindow) allowAt(now int64) (retryAfter time.Duration, ok bool) {
	length := int64(w.Window)
	if began := now - now%length; began != w.began {
		w.began, w.count = began, 0
	}
	if w.count >= w.Rate {
		return time.Duration(w.began + length - now), false
	}
	w.count++
	return 0, true
}

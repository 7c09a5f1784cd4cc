package window

import "math"

// Count counts the last so many calls, whenever they were.
type Count struct {
	sum  Counts
	next int // the place of the next call, which is that of the oldest once the ring is full
	ring []mark
}

// mark is what the ring remembers of one call.
type mark uint8

const (
	failure mark = 1 << iota
	slowness
)

// NewCount returns a window over the last size calls, at least one.
func NewCount(size int) *Count {
	return &Count{ring: make([]mark, max(size, 1))}
}

// Add counts a call and returns the counts with it. The instant is there so
// that Count and Time have the same shape.
func (w *Count) Add(_ int64, failed, slow bool) Counts {
	if w.sum.Total == len(w.ring) {
		oldest := w.ring[w.next]
		w.sum.subtract(Counts{Total: 1, Failures: int(oldest & failure), Slow: int((oldest & slowness) / slowness)})
	}
	var m mark
	if failed {
		m |= failure
	}
	if slow {
		m |= slowness
	}
	w.ring[w.next] = m
	w.next++
	if w.next == len(w.ring) {
		w.next = 0
	}
	w.sum.add(failed, slow)
	return w.sum
}

// AddGood counts n calls that neither failed nor were slow.
func (w *Count) AddGood(n int) {
	for range min(n, len(w.ring)) { // with so many, nothing else is left
		w.Add(0, false, false)
	}
}

// Until is when time makes a difference: never.
func (w *Count) Until() int64 { return math.MaxInt64 }

// Counts returns what the window holds.
func (w *Count) Counts(int64) Counts { return w.sum }

// Reset forgets every call. What the ring still holds is overwritten before it
// is read again, because it is read only when full; so it may start anywhere.
func (w *Count) Reset() { w.sum = Counts{} }

package window

import (
	"math"
	"time"
)

// Buckets is the number of buckets in which Time keeps its calls.
const Buckets = 10

// Time counts the calls of the last stretch of time, in Buckets buckets of
// equal width on a fixed grid that starts at 0. At any instant it holds the
// current bucket and the Buckets-1 before it: every call younger than
// Buckets-1 widths, and none that is a full window old or older. Time that
// runs backwards counts as standing still.
type Time struct {
	// What a call changes lies in one cache line, with what it needs to see that
	// no time has passed.
	now   Counts // of the current bucket
	past  Counts // of all others
	start int64  // of the current bucket, a multiple of width
	width uint64 // of a bucket, in nanoseconds

	current int
	buckets [Buckets]Counts // but the current one, whose place is empty
}

// NewTime returns a window over the given span, rounded down to a whole number
// of nanoseconds a bucket, and at least one.
func NewTime(span time.Duration) *Time {
	return &Time{width: uint64(max(span/Buckets, 1))}
}

// Add counts a call that ended now, and returns the counts with it.
func (w *Time) Add(now int64, failed, slow bool) Counts {
	w.roll(now)
	w.now.add(failed, slow)
	return w.past.plus(w.now)
}

// AddGood counts n calls that neither failed nor were slow, and that ended in
// the current bucket: from the last Add or Counts on, and before Until.
func (w *Time) AddGood(n int) { w.now.Total += n }

// Until is the end of the current bucket, after which time makes a difference.
func (w *Time) Until() int64 {
	if end := w.start + int64(w.width); end > w.start {
		return end
	}
	return math.MaxInt64
}

// Counts returns what the window holds now.
func (w *Time) Counts(now int64) Counts {
	w.roll(now)
	return w.past.plus(w.now)
}

// Reset forgets every call. It keeps the grid.
func (w *Time) Reset() {
	w.now, w.past = Counts{}, Counts{}
	w.buckets = [Buckets]Counts{}
}

// roll makes the bucket of now the current one and drops those that are too
// old. It moves by whole widths, so that what is left of a width is never lost.
func (w *Time) roll(now int64) {
	if now < w.start {
		return
	}
	// The distance of any two instants fits in 64 bits without a sign.
	passed := uint64(now) - uint64(w.start)
	if passed < w.width {
		return
	}
	steps := passed / w.width
	w.start += int64(steps * w.width)
	if steps >= Buckets {
		w.Reset()
		return
	}
	w.buckets[w.current] = w.now
	w.past = w.past.plus(w.now)
	w.now = Counts{}
	for range steps {
		w.current = (w.current + 1) % Buckets
		w.past.subtract(w.buckets[w.current])
		w.buckets[w.current] = Counts{}
	}
}

package window

import (
	"testing"

	"pgregory.net/rapid"
)

// The price of buckets, against an exact log of the last span: the window
// holds every call younger than nine tenths of the span and no call that the
// exact log would not hold.
func TestTimeIsWithinOneBucketOfAnExactLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const span = 1000
		w := NewTime(span)
		var log []int64
		now := int64(0)
		younger := func(age int64) (n int) {
			for _, at := range log {
				if now-at < age {
					n++
				}
			}
			return n
		}
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			now += rapid.Int64Range(0, 300).Draw(t, "gap")
			log = append(log, now)
			got := w.Add(now, false, false).Total
			if least, most := younger(span-span/Buckets+1), younger(span); got < least || got > most {
				t.Fatalf("at %d: %d calls, exact log bounds it to [%d, %d]", now, got, least, most)
			}
		}
	})
}

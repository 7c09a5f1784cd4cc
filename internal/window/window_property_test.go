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

// Good calls that are added later, but before their bucket ends or anybody asks,
// leave the window as if each had been added when it ended.
func TestAddGoodIsAddForEach(t *testing.T) {
	type recent interface {
		Add(now int64, failed, slow bool) Counts
		AddGood(n int)
		Until() int64
		Counts(now int64) Counts
	}
	rapid.Check(t, func(t *rapid.T) {
		var each, later recent = NewTime(1000), NewTime(1000)
		if size := rapid.IntRange(0, 5).Draw(t, "size"); size > 0 {
			each, later = NewCount(size), NewCount(size)
		}
		now, good := int64(0), 0
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			now += rapid.Int64Range(0, 120).Draw(t, "gap")
			failed := rapid.IntRange(0, 9).Draw(t, "failed") == 0
			want := each.Add(now, failed, false)
			if !failed && now < later.Until() {
				good++
				continue
			}
			later.AddGood(good)
			good = 0
			if got := later.Add(now, failed, false); got != want {
				t.Fatalf("at %d: %+v, want %+v", now, got, want)
			}
		}
		later.AddGood(good)
		if got, want := later.Counts(now), each.Counts(now); got != want {
			t.Fatalf("in the end: %+v, want %+v", got, want)
		}
	})
}

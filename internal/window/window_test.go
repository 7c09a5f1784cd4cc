package window

import (
	"math"
	"testing"
	"time"
)

func TestTimeRollsBucketByBucket(t *testing.T) {
	w := NewTime(100) // ten buckets of 10 ns
	steps := []struct {
		now  int64
		add  bool
		want int
	}{
		{now: 0, add: true, want: 1},
		{now: 9, add: true, want: 2},
		{now: 10, add: true, want: 3},
		{now: 99, want: 3},
		{now: 100, want: 1}, // the first bucket is a full window old
		{now: 109, want: 1},
		{now: 110, want: 0},
		{now: 115, add: true, want: 1},
		{now: 113, add: true, want: 2}, // backwards: the current bucket
		{now: 209, want: 2},
		{now: 210, want: 0},
		{now: 10_000, add: true, want: 1}, // a long idle gap
		{now: 10_099, want: 1},
		{now: 10_100, want: 0},
	}
	for i, s := range steps {
		var got Counts
		if s.add {
			got = w.Add(s.now, false, false)
		} else {
			got = w.Counts(s.now)
		}
		if got.Total != s.want {
			t.Fatalf("step %d, at %d: total %d, want %d", i, s.now, got.Total, s.want)
		}
	}
}

func TestTimeKeepsTheRemainderOfAWidth(t *testing.T) {
	// Rolls that start a fresh bucket at the instant of the call stretch the
	// window: calls every 1.9 widths would make ten buckets last 19 widths.
	w := NewTime(100)
	w.Add(0, true, false)
	for now := int64(19); now < 100; now += 19 {
		w.Add(now, false, false)
	}
	if got := w.Counts(100); got.Failures != 0 {
		t.Errorf("a failure as old as the window is still counted: %+v", got)
	}
}

func TestTimeSaturates(t *testing.T) {
	w := NewTime(math.MaxInt64)
	w.Add(math.MinInt64, true, true)
	w.Add(math.MaxInt64, true, true)
	w.Add(math.MinInt64, true, true)
	if got := w.Counts(math.MaxInt64); got != (Counts{2, 2, 2}) {
		t.Errorf("counts %+v, want those of the last tenth", got)
	}
	if got := NewTime(-time.Second).Add(0, true, false); got != (Counts{1, 1, 0}) {
		t.Errorf("a span below zero: %+v", got)
	}
}

func TestCountForgetsTheOldest(t *testing.T) {
	w := NewCount(3)
	for i, s := range []struct {
		failed, slow bool
		want         Counts
	}{
		{true, true, Counts{1, 1, 1}},
		{false, true, Counts{2, 1, 2}},
		{true, false, Counts{3, 2, 2}},
		{false, false, Counts{3, 1, 1}},
		{false, false, Counts{3, 1, 0}},
		{false, false, Counts{3, 0, 0}},
	} {
		if got := w.Add(0, s.failed, s.slow); got != s.want {
			t.Fatalf("call %d: %+v, want %+v", i, got, s.want)
		}
	}
	w.Add(0, true, true)
	w.Reset()
	if got := w.Counts(0); got != (Counts{}) {
		t.Fatalf("after a reset: %+v", got)
	}
	for range 3 {
		w.Add(0, false, false)
	}
	if got := w.Counts(0); got != (Counts{Total: 3}) {
		t.Errorf("a call from before the reset came back: %+v", got)
	}
}

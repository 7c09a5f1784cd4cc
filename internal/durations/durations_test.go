package durations

import (
	"slices"
	"testing"
	"time"
)

func TestCounter(t *testing.T) {
	if !slices.IsSorted(Bounds[:]) {
		t.Fatal("the bounds are in no order")
	}
	var c Counter
	var want Buckets
	var sum time.Duration
	for i, bound := range Bounds {
		c.Add(bound)
		c.Add(bound + 1)
		want[i]++
		want[i+1]++
		sum += 2*bound + 1
	}
	c.Add(0)
	want[0]++
	got, took := c.Read()
	if got != want || took != sum || got.Sum() != uint64(2*len(Bounds)+1) {
		t.Errorf("got %v in %v, want %v in %v", got, took, want, sum)
	}
}

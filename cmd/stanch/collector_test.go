package main

import (
	"runtime/debug"
	"testing"
)

func TestCollectLessUnlessToldOtherwise(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	for _, tt := range []struct {
		gogc string
		want int
	}{{"50", 100}, {"off", 100}, {"", 400}} { // the runtime has read it long before
		t.Setenv("GOGC", tt.gogc)
		collectLess()
		if got := debug.SetGCPercent(100); got != tt.want {
			t.Errorf("GOGC=%q: %d, want %d", tt.gogc, got, tt.want)
		}
	}
}

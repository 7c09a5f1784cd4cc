package agenda

import (
	"slices"
	"testing"
)

func TestOrder(t *testing.T) {
	var a Agenda
	var now int64
	var seen []int64
	see := func(n int64) func() { return func() { seen = append(seen, now, n) } }
	a.At(20, see(1))
	a.At(10, see(2))
	a.At(10, func() { see(3)(); a.At(10, see(5)); a.At(21, see(6)) })
	a.At(10, see(4)) // asked for before 5
	a.Run(20, &now)
	if want := []int64{10, 2, 10, 3, 10, 4, 10, 5, 20, 1}; !slices.Equal(seen, want) {
		t.Errorf("%v, want %v", seen, want)
	}
	a.Run(30, &now)
	if now != 21 || len(seen) != 12 {
		t.Errorf("%v at %d", seen, now)
	}
}

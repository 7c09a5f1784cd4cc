package history

import (
	"sync/atomic"
	"testing"
)

// draw is a number that each may draw once.
func draw(got int) Check[int] {
	return func(next int) (int, bool) { return next + 1, got == next }
}

func TestOrderIsFound(t *testing.T) {
	for range 200 {
		var next atomic.Int64
		op := func() Check[int] { return draw(int(next.Add(1) - 1)) }
		if !Play(0, []Op[int]{op, op, op}, []Op[int]{op, op, op}) {
			t.Fatal("an atomic counter is no counter")
		}
	}
}

func TestNoOrderIsFound(t *testing.T) {
	twice := func() Check[int] { return draw(0) }
	if Play(0, []Op[int]{twice}, []Op[int]{twice}) {
		t.Error("a number that was drawn twice has been explained")
	}
	// In some order this would do, but not in the one in which it was.
	one := func() Check[int] { return draw(1) }
	zero := func() Check[int] { return draw(0) }
	if Play(0, []Op[int]{one, zero}) {
		t.Error("an operation has been moved before one that had ended")
	}
}

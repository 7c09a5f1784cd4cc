package bulkhead

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever calls, waiters, leavers and clocks do, and in whatever order, the
// bulkhead behaves as the sequential oracle does and keeps its promises.
func TestBehavesAsTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		choose := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
		w := newWorld(choose)
		w.start(choose)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if err := w.step(choose); err != nil {
				t.Fatal(err)
			}
			if err := w.check(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.drain(); err != nil {
			t.Fatal(err)
		}
	})
}

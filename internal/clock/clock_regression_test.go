package clock_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// Instants once counted from the start of the process. Bubbles begin in the year
// 2000, so they were negative there, and a mechanism that starts from 0 stood
// still: no cooldown ended in anybody's test.
func TestInstantsWereNegativeInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := clock.Real.Now()
		time.Sleep(time.Hour) // virtual
		if first < 0 || clock.Real.Now()-first != int64(time.Hour) {
			t.Errorf("from %d to %d in an hour", first, clock.Real.Now())
		}
	})
}

// A deadline of another process has no monotonic reading; a sleep until the
// smallest instant overflowed and lasted for centuries.
func TestSleepUntilThePastNeverEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		clock.Real.Sleep(t.Context(), -1<<63)
		if took := time.Since(start); took != 0 {
			t.Errorf("slept %v", took)
		}
		far := time.Now().Add(time.Minute).Round(0)
		if got := clock.Real.Instant(far) - clock.Real.Now(); got != int64(time.Minute) {
			t.Errorf("a minute is %v", time.Duration(got))
		}
	})
}

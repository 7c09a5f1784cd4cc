package adaptive

import (
	"math"
	"time"
)

// A sample is what a window of calls has shown.
type sample struct {
	calls   int     // that ended and say something
	lost    int     // of these, failures
	peak    int     // most in flight when one ended
	latency float64 // of those that succeeded, the mean in nanoseconds
	doubt   float64 // the standard error of latency
}

// enough says that there are calls enough to tell anything.
func enough(calls, lost int) bool { return calls >= minCalls || lost >= minLost }

// tally collects the calls of a sample. What failed says nothing about the
// latency: a timeout takes as long as its caller waits, a refusal no time.
type tally struct {
	start       int64
	calls, lost int
	peak        int
	took, all   float64 // nanoseconds, of the successes and of all
	squares     float64 // of took
}

func (w *tally) add(now int64, inFlight int, failed bool, took time.Duration) {
	if w.calls == 0 && w.start == 0 || now < w.start {
		w.start = now
	}
	w.calls++
	w.peak = max(w.peak, inFlight)
	t := float64(max(took, 1))
	w.all += t
	if failed {
		w.lost++
	} else {
		w.took += t
		w.squares += t * t
	}
}

// complete says that there are calls enough, over time enough. The time is at
// least that of a call, so that what follows from one window shows in the next.
// A window that only has to pass, settling, needs no calls.
func (w *tally) complete(now int64, least time.Duration, settling bool) bool {
	if !settling && !enough(w.calls, w.lost) {
		return false
	}
	passed := uint64(now) - uint64(w.start) // start is at most now; the difference always fits
	return passed >= uint64(least) && float64(passed) >= w.all/float64(w.calls)
}

func (w *tally) sample() sample {
	s := sample{calls: w.calls, lost: w.lost, peak: w.peak}
	if ok := float64(w.calls - w.lost); ok > 0 {
		s.latency = w.took / ok
		variance := max(0, w.squares/ok-s.latency*s.latency)
		s.doubt = math.Sqrt(variance / ok)
	}
	return s
}

package shed

const (
	ranks = priorities * Levels
	// recent is what the last interval adds to what is known of arrivals.
	recent = 0.2
	// The target follows what could be begun while overloaded, and a few more, so
	// that there is always somebody to take a place; else it rises.
	follow, more = 0.3, 1.2
	gently       = 1.01 // while all places are in use at times
	quickly      = 1.1  // while none lacks; the next time that squared, and so on, as
	fastest      = 2    // the target is far too low after a stall, in which little began
	// tolerated is the share of requests that pass and then find no place,
	// without an overload.
	tolerated = 0.02
	forgotten = 10 // intervals without a request, after which nothing is known
)

// threshold finds the rank below which requests are refused.
type threshold struct {
	arrivals [ranks]float64 // an interval, of late
	target   float64        // that should pass, an interval
	growth   float64        // of the target the last time, if no place lacked then
	shedding bool
}

// An interval is what happened in one.
type interval struct {
	length  float64 // in intervals: it ends with the first request after its time
	begun   int     // requests that got a place
	turned  int     // requests that passed the threshold and got none
	stood   bool    // the queue was never empty
	crowded bool    // at some time there was no place
}

// set returns the lowest rank that passes. count returns how many requests of a
// rank have come, and forgets them.
func (t *threshold) set(i interval, count func(rank int) int) int {
	if i.length > forgotten {
		for r := range ranks {
			count(r)
		}
		*t = threshold{}
		return 0
	}
	total := 0.0
	for r := range ranks {
		t.arrivals[r] += recent * (float64(count(r))/i.length - t.arrivals[r])
		total += t.arrivals[r]
	}
	begun := float64(i.begun) / i.length
	growth := min(max(t.growth*t.growth, quickly), fastest)
	t.growth = 0
	switch overloaded := i.stood || float64(i.turned) > tolerated*float64(i.begun); {
	case overloaded && !t.shedding:
		t.shedding, t.target = true, begun
	case overloaded:
		t.target += follow * (more*begun - t.target)
	case i.crowded:
		t.target *= gently
	default:
		t.target *= growth
		t.growth = growth
	}
	t.target = max(t.target, 1) // who passes sees that there is room again
	if t.target > total {
		t.shedding = false
	}
	if !t.shedding {
		return 0
	}
	return t.lowest()
}

// scale keeps what is known when an interval takes another time.
func (t *threshold) scale(by float64) {
	for r := range t.arrivals {
		t.arrivals[r] *= by
	}
	t.target *= by
}

// lowest walks down from the highest rank, which always passes, until about as
// many pass as should.
func (t *threshold) lowest() int {
	passing := t.arrivals[ranks-1]
	for r := ranks - 2; r >= 0; r-- {
		if passing+t.arrivals[r]/2 > t.target {
			return r + 1
		}
		passing += t.arrivals[r]
	}
	return 0
}

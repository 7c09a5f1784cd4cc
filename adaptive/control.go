package adaptive

import "math"

// Reason says what the latest window did to the limit.
type Reason string

const (
	// Started: no window is complete yet.
	Started Reason = "started"
	// Held: the limit fits, or it could not be told.
	Held Reason = "held"
	// Unused: there were never as many calls as the limit allows.
	Unused Reason = "unused"
	// Grown: it was in use, and nothing spoke against more.
	Grown Reason = "grown"
	// Queued: calls took long because they were too many.
	Queued Reason = "queued"
	// Lost: calls failed.
	Lost Reason = "lost"
	// Probed: the limit is lowered to see what a call takes without a queue.
	Probed Reason = "probed"
	// Learned: fewer calls took no less time, so that this is what they take.
	// The limit is back to what that makes of it.
	Learned Reason = "learned"
)

const (
	step     = 0.6 // of a probe, and how far the limit falls until it is judged
	mostFall = 0.5 // in one window
	// proportional is how much of a fall has to show in the latency for all of it
	// to have been in the queue; the rest is left to noise.
	proportional = 0.65
	quick        = 1.5 // growth a window, below brink
	slowly       = 0.1 // share of a difference by which base follows
	seldom       = 20  // windows from one probe to the next, at least
	soon         = 3   // windows until the first, of a base that is new
)

// A point is a limit, as it is kept to, and the latency that calls had under it.
type point struct{ limit, latency float64 }

// control moves the limit, a window at a time.
type control struct {
	cfg       Config
	estimator estimator
	limit     float64
	base      float64 // the latency without a queue; 0 while unknown
	seen      float64 // latency of the latest window without losses; 0 while unknown
	low, high float64 // what it was at least and at most, but for chance; +Inf if that is of no use
	known     int64   // when base was last seen
	windows   int     // since then
	brink     float64 // below it the limit grows quickly: it has been higher
	losing    bool
	settling  bool // the next window still has calls from before the last change

	// A fall of the limit tells whether there is a queue: see judge.
	top, last point
	probing   bool
	reason    Reason
}

func newControl(cfg Config) control {
	c := control{
		cfg: cfg, estimator: cfg.estimator(), limit: float64(cfg.Initial),
		settling: true, // there was no queue before the first call
		reason:   Started,
	}
	c.forget()
	if cfg.Algorithm == AIMD {
		c.brink = math.Inf(1) // a slow start, as nothing but a loss ends it
	}
	return c
}

func (c *control) update(now int64, s sample) {
	c.windows++
	if float64(s.lost) > c.cfg.LossTolerance*float64(s.calls) && enough(s.calls, s.lost) {
		c.lose(s)
		return
	}
	c.losing = false
	settling := c.settling
	c.settling = false
	if s.latency == 0 {
		return // a short window, in which nothing has succeeded
	}
	// What can be chance is neither a queue nor news. One slow window alone is
	// a pause and no queue, and one fast window is luck.
	low, high := s.latency-s.doubt, s.latency+s.doubt
	calm, lively := min(low, c.low), max(high, c.high)
	c.low, c.high, c.seen = low, high, s.latency
	if settling {
		return
	}
	full := s.peak >= int(c.limit)
	if full && c.falling() && (c.probing || c.deep()) && c.judge(now, s.latency) {
		return
	}
	if c.probing {
		c.restore(c.top.limit) // for want of calls there was nothing to see
		return
	}
	c.learn(now, s, lively)
	c.move(now, s, calm, full)
}

// forget keeps the windows from before a change out of comparisons.
func (c *control) forget() { c.low, c.high = math.Inf(1), math.Inf(1) }

// lose takes away half of the share that was lost, as DCTCP does (RFC 8257): a
// few losses cost little, an outage halves the limit with each window. What is
// known of the latency stays as it is, since a timeout is none.
func (c *control) lose(s sample) {
	if !c.losing {
		c.losing = true
		c.brink = c.limit / 2
	}
	c.top, c.last, c.probing, c.settling = point{}, point{}, false, false
	c.forget()
	c.set(c.limit * (1 - float64(s.lost)/float64(s.calls)/2))
	c.reason = Lost
}

// move asks the estimator. Growth needs a limit in use and goes by the latest
// window alone; a fall needs two slow windows in a row.
func (c *control) move(now int64, s sample, calm float64, full bool) {
	next := c.estimator.next(c.limit, s.latency, c.base)
	if next < c.limit {
		next = min(c.estimator.next(c.limit, calm, c.base), c.limit)
	}
	switch {
	case next < c.limit && s.peak*2 > int(c.limit):
		c.fall(point{whole(c.limit), s.latency}, max(next, mostFall*c.limit), Queued)
	case c.due(now) && full:
		c.probing = true
		c.fall(point{whole(c.limit), s.latency}, step*c.limit, Probed)
	case next > c.limit && full:
		if c.limit < c.brink {
			next = max(next, min(quick*c.limit, c.brink))
		}
		c.top = point{}
		c.set(next)
		c.reason = Grown
	default:
		c.top = point{}
		c.reason = Held
		if !full {
			c.reason = Unused
		}
	}
}

func (c *control) set(limit float64) {
	c.limit = min(max(limit, float64(c.cfg.Min)), float64(c.cfg.Max))
}

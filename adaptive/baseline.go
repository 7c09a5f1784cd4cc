package adaptive

import "math"

// falling says that the limit is on its way down, from top.
func (c *control) falling() bool { return c.top.limit > 0 }

// deep says that the limit has fallen far enough to tell.
func (c *control) deep() bool {
	n := whole(c.limit)
	return n < c.last.limit && n <= step*c.last.limit+1
}

// whole is the limit as it is kept to: there are no fractions of calls.
func whole(limit float64) float64 { return math.Floor(limit) }

// fall lowers the limit, and keeps where it came from. If calls take longer than
// there, something else has changed, and the fall counts from here.
func (c *control) fall(from point, to float64, why Reason) {
	if !c.falling() || from.latency > c.last.latency {
		c.top, c.last = from, from
	}
	c.settling = to < 0.9*c.limit
	c.set(to)
	c.reason = why
}

// judge compares the latency before and after a fall. As long as calls wait for
// each other, fewer take less time, in the same proportion. Once that is no longer
// so, nobody waits any more, and a call takes what it takes. It reports whether that
// settles what to do with this window.
func (c *control) judge(now int64, latency float64) (settled bool) {
	fewer, faster := math.Log(c.last.limit/c.limit), math.Log(c.last.latency/latency)
	helped := faster >= proportional*fewer
	floor := c.limit <= float64(c.cfg.Min)
	switch {
	case helped && !c.probing:
		c.last = point{whole(c.limit), latency}
		return false
	case helped && !floor:
		c.last = point{whole(c.limit), latency}
		c.fall(c.last, step*c.limit, Probed)
		return true
	}
	c.base, c.known, c.windows = latency, now, 0
	// By Little's law calls ended at the rate limit / latency, and those that
	// are at work are that rate times the latency without a queue.
	c.restore(min(c.cfg.Tolerance*c.base/c.top.latency*c.top.limit+1, c.top.limit))
	return true
}

// restore ends a fall.
func (c *control) restore(limit float64) {
	c.top, c.last, c.probing, c.settling = point{}, point{}, false, true
	c.forget()
	c.set(limit)
	c.reason = Learned
}

// learn lets the base follow what is beyond doubt: calls that take less, two windows
// in a row, and any calls that are far fewer than they may be.
func (c *control) learn(now int64, s sample, lively float64) {
	alone := s.peak*2 <= int(c.limit) || c.limit <= float64(c.cfg.Min)
	switch {
	case c.base == 0 || lively*c.cfg.Tolerance < c.base:
		c.base = s.latency
		c.known, c.windows = math.MinInt64, seldom-soon // there may be a queue even so
	case alone:
		c.base += slowly * (s.latency - c.base)
	case lively < c.base:
		c.base += slowly * (lively - c.base)
	}
	if alone {
		c.known, c.windows = now, 0
	}
}

// due says that the base has not been seen for long, and can be looked for.
func (c *control) due(now int64) bool {
	return c.cfg.Algorithm != AIMD && c.limit > float64(c.cfg.Min) && c.limit >= 2 && c.windows >= seldom &&
		now > c.known && uint64(now)-uint64(c.known) >= uint64(c.cfg.ProbeEvery)
}

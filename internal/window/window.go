// Package window counts the outcomes of recent calls: over the last stretch of
// time (Time) or over the last so many calls (Count).
//
// Both keep running sums, so that adding a call and reading the counts take
// the same short time whatever the size of the window. Neither is safe for
// concurrent use: the owner has a lock already.
package window

// Counts is what a window holds. A call can be both a failure and slow.
type Counts struct {
	Total    int // calls
	Failures int // calls that failed
	Slow     int // calls that took too long
}

func (c *Counts) add(failed, slow bool) {
	c.Total++
	if failed {
		c.Failures++
	}
	if slow {
		c.Slow++
	}
}

func (c Counts) plus(o Counts) Counts {
	return Counts{c.Total + o.Total, c.Failures + o.Failures, c.Slow + o.Slow}
}

func (c *Counts) subtract(o Counts) {
	c.Total -= o.Total
	c.Failures -= o.Failures
	c.Slow -= o.Slow
}

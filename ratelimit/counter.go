package ratelimit

import (
	"math/bits"
	"sync"
	"time"
)

// A Counter is a sliding counter: time is cut into windows, and of the previous
// one counts what would be left if its costs had come evenly (Cloudflare, 2017).
// Two numbers instead of a log. Make one with [NewCounter].
//
// At no instant it admits more than Rate, in a stretch of time t up to Window at
// most Rate·(1 + t/Window): twice the Rate in a whole window if all of the
// previous one came at its end. If all came at its beginning it refuses up to
// Rate too much. With even arrivals it is as exact as the log.
type Counter struct {
	mu        sync.Mutex // guards all
	cfg       Config
	limit     uint64 // in millionths, as the counts
	start     int64  // of the window
	last      int64  // latest instant seen
	prev, cur uint64 // admitted in the window before, and in this one
}

// NewCounter returns a counter at 0, or the faults of the configuration.
func NewCounter(cfg Config) (*Counter, error) {
	cfg, err := cfg.as(SlidingCounter)
	if err != nil {
		return nil, err
	}
	c := &Counter{}
	c.configure(cfg)
	return c, nil
}

func (c *Counter) configure(cfg Config) {
	c.cfg = cfg
	c.limit, _ = toUnits(cfg.Rate, millionths)
}

// AllowAt admits the cost if it and the estimate fit into Rate.
func (c *Counter) AllowAt(now int64, cost float64) Decision {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cfg.Rate == 0 {
		return unlimited(cost)
	}
	c.advance(max(now, 0))
	n, valid := toUnits(cost, millionths)
	valid = valid && n <= c.limit
	used := c.weight() + c.cur
	d := Decision{OK: valid && (n == 0 || used+n <= c.limit)}
	if d.OK {
		c.cur += n
		used += n
	}
	d.Remaining = float64(above(c.limit, used)) / millionths
	switch {
	case !valid:
		d.RetryAfter = Never
	case !d.OK:
		d.RetryAfter = c.retryAfter(n)
	}
	switch {
	case c.cur > 0:
		d.ResetAfter = c.left() + c.cfg.Window
	case c.prev > 0:
		d.ResetAfter = c.left()
	}
	return d
}

// SetAt changes the limits. What was counted stays counted.
func (c *Counter) SetAt(now int64, cfg Config) error {
	cfg, err := cfg.as(SlidingCounter)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cfg.Rate == 0 || cfg.Rate == 0 {
		c.prev, c.cur = 0, 0
	} else {
		c.advance(max(now, 0))
		passed := c.cfg.Window - c.left() // the same share of a window
		c.start = c.last - int64(mulDiv(uint64(passed), uint64(cfg.Window), uint64(c.cfg.Window)))
	}
	c.configure(cfg)
	return nil
}

// advance moves to the window of now. The lock is held.
func (c *Counter) advance(now int64) {
	if back := c.last - now; back > int64(lateness) {
		c.start -= back
		c.last = now
	}
	c.last = max(c.last, now)
	switch passed := (c.last - c.start) / int64(c.cfg.Window); passed {
	case 0:
	case 1:
		c.prev, c.cur = c.cur, 0
		c.start += int64(c.cfg.Window)
	default:
		c.prev, c.cur = 0, 0
		c.start += passed * int64(c.cfg.Window)
	}
}

// left returns what is left of the window.
func (c *Counter) left() time.Duration { return c.cfg.Window - time.Duration(c.last-c.start) }

// weight returns what counts of the window before, rounded up.
func (c *Counter) weight() uint64 {
	left, window := uint64(c.left()), uint64(c.cfg.Window)
	return c.prev - mulDiv(c.prev, window-left, window)
}

// retryAfter returns when n fits: in this window, once little enough counts of
// the one before, or else in the next.
func (c *Counter) retryAfter(n uint64) time.Duration {
	window := uint64(c.cfg.Window)
	if c.cur+n <= c.limit {
		return c.left() - time.Duration(mulDiv(c.limit-c.cur-n, window, c.prev))
	}
	return c.left() + c.cfg.Window - time.Duration(mulDiv(c.limit-n, window, c.cur))
}

// mulDiv returns a·b/c, rounded down, for a result of at most 64 bits.
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, _ := bits.Div64(hi, lo, c)
	return q
}

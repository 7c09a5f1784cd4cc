package ratelimit_test

import (
	"math"
	"math/big"
	"strconv"

	"github.com/stanch-go/stanch/ratelimit"
)

// The oracles are the textbook, in exact fractions, and slow. room returns what
// would still be admitted at an instant that is not before the last; below 0 it
// is a debt.
type oracle interface {
	room(now int64) *big.Rat
	take(now int64, cost float64)
}

func newOracle(c ratelimit.Config) oracle {
	c = c.Effective()
	limits := limits{rate: decimal(c.Rate), burst: decimal(c.Burst), window: int64(c.Window)}
	switch c.Algorithm {
	case ratelimit.LeakyShaper:
		limits.burst = decimal(max(c.Rate, 1))
		return &spacing{limits: limits, free: new(big.Rat)}
	case ratelimit.SlidingLog:
		return &list{limits: limits}
	case ratelimit.SlidingCounter:
		return &twoWindows{limits: limits, prev: new(big.Rat), cur: new(big.Rat)}
	}
	return &tokens{limits: limits, n: limits.burst}
}

type limits struct {
	rate, burst *big.Rat
	window      int64
}

// refilled is what comes in dt.
func (l limits) refilled(dt int64) *big.Rat {
	r := new(big.Rat).Mul(l.rate, new(big.Rat).SetInt64(dt))
	return r.Quo(r, new(big.Rat).SetInt64(l.window))
}

// unit is the most by which costs may be rounded.
func (l limits) unit() *big.Rat {
	u := l.refilled(10)
	if u2 := new(big.Rat).Quo(l.burst, new(big.Rat).SetInt64(1<<57)); u2.Cmp(u) > 0 {
		return u2
	}
	return u
}

// decimal reads a float as its author wrote it.
func decimal(f float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok {
		panic(f)
	}
	return r
}

func minRat(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// tokens come in all the time, up to the burst.
type tokens struct {
	limits
	n    *big.Rat
	last int64
}

func (o *tokens) room(now int64) *big.Rat {
	n := new(big.Rat).Add(o.n, o.refilled(now-o.last))
	o.n, o.last = minRat(n, o.burst), now
	return o.n
}

func (o *tokens) take(_ int64, cost float64) { o.n = new(big.Rat).Sub(o.n, decimal(cost)) }

// spacing frees the way when what left last has been refilled.
type spacing struct {
	limits
	free *big.Rat // an instant
}

func (o *spacing) room(now int64) *big.Rat {
	if late := o.late(now); late.Sign() < 0 {
		return late
	}
	return o.burst
}

// late is how long the way has been free, as what is refilled in that time.
func (o *spacing) late(now int64) *big.Rat {
	late := new(big.Rat).Sub(new(big.Rat).SetInt64(now), o.free)
	late.Mul(late, o.rate)
	return late.Quo(late, new(big.Rat).SetInt64(o.window))
}

func (o *spacing) take(now int64, cost float64) {
	takes := new(big.Rat).Mul(decimal(cost), new(big.Rat).SetInt64(o.window))
	takes.Quo(takes, o.rate)
	o.free = takes.Add(takes, new(big.Rat).SetInt64(now))
}

// list has everything that was admitted.
type list struct {
	limits
	at    []int64
	costs []*big.Rat
}

func (o *list) room(now int64) *big.Rat {
	left := new(big.Rat).Set(o.rate)
	for i, at := range o.at {
		if at > now-o.window {
			left.Sub(left, o.costs[i])
		}
	}
	return left
}

// live is how many of them are in the window.
func (o *list) live(now int64) (n int) {
	for _, at := range o.at {
		if at > now-o.window {
			n++
		}
	}
	return n
}

func (o *list) take(now int64, cost float64) {
	o.at, o.costs = append(o.at, now), append(o.costs, decimal(cost))
}

// twoWindows weighs the previous window by how much of it is still in sight.
type twoWindows struct {
	limits
	prev, cur *big.Rat
	index     int64
}

func (o *twoWindows) room(now int64) *big.Rat {
	for i := now / o.window; o.index < i; o.index++ {
		if i > o.index+2 {
			o.index = i - 2
			o.prev, o.cur = new(big.Rat), new(big.Rat)
		}
		o.prev, o.cur = o.cur, new(big.Rat)
	}
	used := new(big.Rat).SetInt64(o.window - now%o.window)
	used.Quo(used, new(big.Rat).SetInt64(o.window))
	used.Mul(used, o.prev).Add(used, o.cur)
	return used.Sub(o.rate, used)
}

func (o *twoWindows) take(_ int64, cost float64) { o.cur = new(big.Rat).Add(o.cur, decimal(cost)) }

// agrees compares a decision with the oracle: exactly, but for the rounding of
// costs to a unit, and for what the oracle's own limits make of one.
func agrees(d ratelimit.Decision, cost float64, room, most, slack *big.Rat) bool {
	if cost == 0 {
		return d.OK
	}
	c := decimal(cost)
	if c.Cmp(most) > 0 {
		return !d.OK && d.RetryAfter == never || c.Cmp(new(big.Rat).Add(most, slack)) <= 0
	}
	if d.OK {
		return c.Cmp(new(big.Rat).Add(room, slack)) <= 0
	}
	return d.RetryAfter > 0 && c.Cmp(new(big.Rat).Sub(room, slack)) > 0
}

func isLimit(f float64) bool { return !math.IsNaN(f) && f >= 1e-9 && f <= 1e12 }

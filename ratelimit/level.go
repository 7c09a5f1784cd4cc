package ratelimit

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// A gauge is the generic cell rate algorithm on one atomic word: ITU-T I.371, as
// virtual scheduling. Seen from one side it is a token bucket, from the other a
// leaky one. It keeps no time of its own, so a caller with an old reading of the
// clock sees fewer tokens and can refill nothing.
type gauge struct {
	level atomic.Pointer[level]
	mu    sync.Mutex // held while a level is replaced
}

// A level is the state under limits that do not change. To change them, a new
// level takes its place.
type level struct {
	scale
	off     bool
	maxWait time.Duration
	most    uint64 // the highest level there can be, unless time went backwards

	_   [64]byte // what is written lies in another cache line than what is read
	tat atomic.Uint64
}

// sealed is the TAT of a level that was replaced: no swap on it succeeds, so none
// is lost.
const sealed = math.MaxUint64

func newLevel(cfg Config) *level {
	if cfg.Rate == 0 {
		return &level{off: true}
	}
	l := &level{scale: newScale(cfg.Rate, cfg.Burst, cfg.Window), maxWait: cfg.MaxWait}
	l.most = l.burst + l.at(int64(cfg.MaxWait)) + 1
	return l
}

// A hold is what a request took.
type hold struct {
	level *level
	tat   uint64 // after it
	n     uint64 // units
}

// take charges a cost that may begin by the deadline and within MaxWait, or
// changes nothing.
func (g *gauge) take(now, deadline int64, cost float64) (hold, Decision) {
	for {
		l := g.level.Load()
		if l.off {
			return hold{level: l}, unlimited(cost)
		}
		v := l.at(now)
		until, last := now, v
		if deadline > now {
			until = min(deadline, clock.Add(now, l.maxWait))
			last = l.at(until)
		}
		n, ok := l.units(cost)
		tat := l.tat.Load()
		if tat == sealed {
			g.awaitNext()
			continue
		}
		next := max(tat, v) + n
		switch {
		case n == 0 || !ok:
			d := l.state(now, v, tat)
			d.OK = ok
			if !ok {
				d.RetryAfter = Never
			}
			return hold{level: l}, d
		case next <= last+l.burst:
			if l.tat.CompareAndSwap(tat, next) {
				d := l.state(now, v, next)
				d.OK = true
				return hold{l, next, n}, d
			}
		case l.goneBack(tat, v, l.most):
			l.tat.CompareAndSwap(tat, v+l.most)
		default:
			d := l.state(now, v, tat)
			d.RetryAfter = between(until, l.when(next-l.burst))
			return hold{}, d
		}
	}
}

// begins returns the instant from which what was taken may begin.
func (h hold) begins(now int64) int64 {
	if h.n == 0 {
		return now
	}
	return max(now, h.level.when(above(h.tat, h.level.burst)))
}

// giveBack undoes a take. Up to the instant at which it may begin that is all
// that was taken. Later it is what has not been refilled since: the bucket may
// have been full in the meantime, and what flowed over is gone.
func (g *gauge) giveBack(now int64, h hold, cost float64, begins int64) {
	for h.n > 0 {
		l := g.level.Load()
		tat := l.tat.Load()
		if tat == sealed {
			g.awaitNext()
			continue
		}
		n := min(h.n, above(h.tat, l.at(now)))
		if l != h.level {
			if n = 0; now <= begins {
				n, _ = toUnits(cost, l.unit)
			}
		}
		if l.tat.CompareAndSwap(tat, above(tat, n)) {
			return
		}
	}
}

// set replaces the level. What was used stays used, but no more than the new
// burst, so that nobody waits longer than if the new limits had always held;
// what was promised comes on top.
func (g *gauge) set(now int64, cfg Config) {
	l := newLevel(cfg)
	g.mu.Lock()
	defer g.mu.Unlock()
	old := g.level.Load()
	tat := old.tat.Swap(sealed)
	if !old.off && !l.off {
		used := above(tat, old.at(now))
		promised := old.convert(above(used, old.burst), &l.scale)
		used = min(old.convert(used, &l.scale), l.burst+promised)
		l.most = max(l.most, used)
		l.tat.Store(l.at(now) + used)
	}
	g.level.Store(l)
}

// awaitNext returns when the level that replaces a sealed one is in its place.
func (g *gauge) awaitNext() {
	g.mu.Lock()
	defer g.mu.Unlock()
}

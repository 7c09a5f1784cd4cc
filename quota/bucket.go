package quota

import (
	"math"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// A bucket is the state of one key. The script of redisquota does the same sums,
// in microseconds; a test compares the two.
type bucket struct {
	level float64
	at    int64 // when the level was that
}

const (
	// lateness is how old a reading of the clock may be. One that is older means
	// that time went back.
	lateness = int64(time.Minute)
	// slack makes up for rounding: one who waits for RetryAfter is not refused for
	// the last bit of a sum. The level may fall below 0 by as much, so it does not
	// add up.
	slack = 1e-12
	// divisor is the part of a bucket that one grant may take beyond its need.
	divisor = 2
)

// take carries out a Take whose Limit is valid.
func (b *bucket) take(now int64, t *Take) Grant {
	burst, rate := t.Limit.Burst, t.Limit.perNano()
	switch now = max(now, 0); {
	case now > b.at:
		b.level += rate * float64(now-b.at)
		b.at = now
	case now < b.at-lateness:
		b.at = now
	}
	if t.Return > 0 {
		b.level += t.Return
	}
	b.level = min(b.level, burst)
	if !(t.Need >= 0 && t.Need <= burst) {
		return Grant{Remaining: max(b.level, 0), RetryAfter: Never, ResetAfter: wait(burst-b.level, rate)}
	}
	g := Grant{}
	if t.Need <= b.level+slack*burst {
		g.Granted = t.Need + math.Floor(extra(b.level, rate, t))
		b.level -= g.Granted
	} else {
		g.RetryAfter = wait(t.Need-b.level, rate)
	}
	g.Remaining = max(b.level, 0)
	g.ResetAfter = wait(burst-b.level, rate)
	return g
}

// extra is what is granted beyond the need. Rounding may have brought the level
// a little below 0, of which there is no share.
func extra(level, rate float64, t *Take) float64 {
	level = max(level, 0)
	most := min(t.Want, level/divisor)
	if flow := rate * float64(t.Period); flow > level {
		most = min(most, t.Want*level/flow)
	}
	return max(most-t.Need, 0)
}

// full is when a bucket that is left alone has its burst again.
func (b *bucket) full(l Limit) int64 {
	return clock.Add(b.at, wait(l.Burst-b.level, l.perNano()))
}

// wait is how long it takes until cost has flowed in, rounded up.
func wait(cost, rate float64) time.Duration {
	switch ns := math.Ceil(cost / rate); {
	case !(ns > 0):
		return 0
	case ns >= math.MaxInt64:
		return Never
	default:
		return time.Duration(ns)
	}
}

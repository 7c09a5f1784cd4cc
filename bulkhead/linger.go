package bulkhead

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// abandoned are the permits of calls that were given up. Each stays in flight
// until its instant, since the dependency is probably still at work on it.
type abandoned struct {
	count atomic.Int64 // len(until), read without the lock
	until []int64      // in the order of abandoning; guarded by mu
}

// AbandonAt gives up on a call: nobody waits for it any longer, but the
// dependency has not ended it. With Linger the permit stays in flight for so
// long, or until AliveAt; else it is given back as by [Bulkhead.ReleaseAt]. It
// takes the place of ReleaseAt.
func (b *Bulkhead) AbandonAt(now int64) { b.AbandonedAt(now, now) }

// AbandonedAt is AbandonAt for a call that was given up at an instant that has
// passed: its permit lingers from then on.
func (b *Bulkhead) AbandonedAt(since, now int64) {
	until := clock.Add(min(since, now), b.linger)
	if b.linger <= 0 || until <= now && since < now {
		b.ReleaseAt(now)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.inUse(b.word.Load()) {
		panic(released)
	}
	b.abandoned.add(until, clock.Add(now, b.linger))
}

// add keeps the order. Nothing lingers beyond latest: when the clock has stepped
// back, what was abandoned in its future lingers no longer than what is abandoned
// now.
func (a *abandoned) add(until, latest int64) {
	i := len(a.until)
	for ; i > 0 && a.until[i-1] > until; i-- {
		a.until[i-1] = min(a.until[i-1], latest)
	}
	a.until = slices.Insert(a.until, i, until)
	a.count.Add(1)
}

// inUse says whether a permit is in flight that does not merely linger. Under
// mu it is exact; without, false may be wrong.
func (b *Bulkhead) inUse(word uint64) bool {
	return inFlight(word) > uint64(b.abandoned.count.Load())
}

// AliveAt says that the dependency has answered a call. It works again, so what
// was abandoned is no longer held against it: all lingering permits are given
// back. Without any it costs two atomic loads.
func (b *Bulkhead) AliveAt(now int64) {
	b.kept.recall(now)
	if b.abandoned.count.Load() > 0 {
		b.lapse(now, clock.Never)
	}
}

// lapse gives back the permits that linger no longer than until, and says
// whether there were any.
func (b *Bulkhead) lapse(now, until int64) bool {
	var woken []*waiter
	b.mu.Lock()
	n := 0
	for a := &b.abandoned; n < len(a.until) && a.until[n] <= until; n++ {
		if next := b.release(now); next != nil {
			woken = append(woken, next)
		}
	}
	b.abandoned.until = b.abandoned.until[:copy(b.abandoned.until, b.abandoned.until[n:])]
	b.abandoned.count.Add(int64(-n))
	b.mu.Unlock()
	for _, w := range woken {
		w.wake()
	}
	return n > 0
}

// lapsed gives back whatever has lingered long enough or is kept for nothing, of
// all shares where the bulkhead is one, and says whether there may have been
// anything.
func (b *Bulkhead) lapsed(now int64) bool {
	any := b.kept.recall(lastInstant)
	if b.share == nil {
		return b.abandoned.count.Load() > 0 && b.lapse(now, now) || any
	}
	b.mu.Lock()
	shares := b.pool.shares // only ever appended to
	b.mu.Unlock()
	for _, s := range shares {
		if s.kept.recall(lastInstant) {
			any = true
		}
		if s.abandoned.count.Load() > 0 && s.lapse(now, now) {
			any = true
		}
	}
	return any
}

// hopeless says that nothing can come free before the instant: every permit is
// that of an abandoned call and lingers longer. The caller holds mu.
func (b *Bulkhead) hopeless(until int64) bool {
	a := &b.abandoned
	return len(a.until) > 0 && a.until[0] > until && uint64(len(a.until)) >= b.limit
}

// nextLapse returns an instant before which no lingering permit comes free that
// was abandoned by now or will be.
func (b *Bulkhead) nextLapse(now int64) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	shares := []*Bulkhead{b}
	if b.share != nil {
		shares = b.pool.shares
	}
	next := int64(clock.Never)
	for _, s := range shares {
		if s.linger > 0 {
			next = min(next, clock.Add(now, max(s.linger, time.Millisecond))) // a waiter must not spin
		}
		if len(s.abandoned.until) > 0 {
			next = min(next, s.abandoned.until[0])
		}
	}
	return next
}

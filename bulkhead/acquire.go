package bulkhead

import (
	"context"
	"errors"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

var (
	// ErrFull says that no permit was free and none could be waited for: there
	// is no queue, or it is full.
	ErrFull = errors.New("bulkhead: full")
	// ErrQueueTimeout says that no permit came free in the time there was.
	ErrQueueTimeout = errors.New("bulkhead: timed out in the queue")
)

// Acquire takes a permit, at once if it can, else it waits in the queue until
// the instant, for at most MaxWait. It returns how long it waited, and nil,
// [ErrFull], [ErrQueueTimeout] or ctx.Err(). With nil the caller has a permit,
// has waited no longer than it was allowed, and must release the permit once;
// with an error it has none.
func (b *Bulkhead) Acquire(ctx context.Context, clk clock.Clock, now, until int64) (waited time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if b.take() || b.try() || b.lapsed(now) && b.try() {
		return 0, nil
	}
	// Refuse without allocating or locking.
	if waiting(b.word.Load()) >= b.room {
		b.full.Add(1)
		return 0, ErrFull
	}
	until = min(until, clock.Add(now, b.maxWait))
	w := b.waiterAt(clk, now)
	if admitted, err := b.enter(w, until); admitted || err != nil {
		return 0, err
	}
	b.lapsed(now) // those who kept a permit since the look above did not see this waiter
	for next := b.nextLapse(now); ; next = b.nextLapse(now) {
		ended := w.Wait(ctx, min(until, next))
		w.woken = ended == clock.Woken
		now = clk.Now()
		if ended != clock.Expired || now >= until {
			break
		}
		b.lapsed(now) // it may be this waiter that gets what comes free
	}
	return clock.Between(w.since, now), b.settle(w, now, until, ctx.Err())
}

// enter admits a caller for whom a permit has come free since it last looked,
// or puts it into the queue.
func (b *Bulkhead) enter(w *waiter, until int64) (admitted bool, err error) {
	b.mu.Lock()
	defer func() {
		if admitted || err != nil {
			b.spares.put(w)
		}
		b.mu.Unlock()
	}()
	if until <= w.since {
		b.waits.timedOut++
		return false, ErrQueueTimeout
	}
	if b.hopeless(until) {
		b.full.Add(1)
		return false, ErrFull
	}
	admitted, queued := b.join()
	if queued {
		w.ticket = b.ticket()
		b.queue.push(w)
		b.waits.peak = max(b.waits.peak, int(waiting(b.word.Load())))
	} else if !admitted {
		b.full.Add(1)
		return false, ErrFull
	}
	return admitted, nil
}

// join counts the caller as in flight or as waiting, whichever there is room
// for. Alone, it chooses in one swap: a release in between would be missed.
func (b *Bulkhead) join() (admitted, queued bool) {
	if b.share != nil {
		if b.pool.try(b) {
			return true, false
		}
		if waiting(b.word.Load()) < b.room {
			b.word.Add(waiter1)
			return false, true
		}
		return false, false
	}
	for {
		word := b.word.Load()
		switch {
		case word < b.limit:
			if b.word.CompareAndSwap(word, word+1) {
				b.raisePeak(word + 1)
				return true, false
			}
		case waiting(word) < b.room:
			if b.word.CompareAndSwap(word, word+waiter1) {
				return false, true
			}
		default:
			return false, false
		}
	}
}

// settle ends a wait, whatever ended it. Only the state decides, never what
// woke the waiter: it is admitted if it has a permit and still a use for it. A
// permit that arrived while the waiter was leaving goes to the next.
func (b *Bulkhead) settle(w *waiter, now, until int64, ended error) error {
	var next *waiter
	defer func() { next.wake() }() // without the lock
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.spares.put(w)
	switch {
	case !w.granted:
		b.drop(w)
	case ended == nil && now <= until:
		b.waits.admit(clock.Between(w.since, now))
		return nil
	default:
		next = b.release(now)
	}
	if ended == nil {
		ended = ErrQueueTimeout
		b.waits.timedOut++
	} else {
		b.waits.canceled++
	}
	return ended
}

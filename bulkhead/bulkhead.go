package bulkhead

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// A Bulkhead hands out permits, at most so many at once. It is safe for
// concurrent use. Make one with [New] or [Pool.Share].
type Bulkhead struct {
	// word holds the permits in flight in its low half and the waiters in its
	// high half. Standing alone, the bulkhead relies on both being one atomic
	// word: the check of the limit and the step are one compare-and-swap, so
	// the limit cannot be exceeded; and of a caller that joins the queue and
	// one that releases, whichever is second sees the other, so no wake-up is
	// lost. The high half, and the low half of a share, change only under mu.
	// Of an acquire and a release only the word is written, and it shares its
	// cache line with what both read (TestOneLine).
	word  atomic.Uint64
	limit uint64
	alone uint64        // limit, but 0 in a share of a pool
	peak  atomic.Uint64 // most permits in flight
	full  atomic.Uint64 // refusals for want of a permit and a place to wait

	room    uint64 // places in the queue
	maxWait time.Duration
	linger  time.Duration

	abandoned abandoned
	kept      kept

	mu     *sync.Mutex // guards what follows; shares of a pool have one in common
	queue  queue
	waits  waits
	spares spares

	*share // nil when the bulkhead stands alone

	_ [24]byte // to 256 bytes, which the allocator begins at a cache line
}

const waiter1 = 1 << 32 // one waiter in the word

func inFlight(word uint64) uint64 { return word & (waiter1 - 1) }
func waiting(word uint64) uint64  { return word / waiter1 }

// New returns a bulkhead that stands alone, or the faults of the configuration.
func New(cfg Config) (*Bulkhead, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	b := newBulkhead(cfg.Limit, cfg.Queue, cfg.MaxWait, cfg.Order)
	b.linger = cfg.Linger
	b.mu = new(sync.Mutex)
	b.alone = b.limit
	return b, nil
}

func newBulkhead(limit, room int, maxWait time.Duration, order Order) *Bulkhead {
	if limit == 0 {
		limit = maxSlots
	}
	b := &Bulkhead{
		limit:   uint64(limit),
		room:    uint64(room),
		maxWait: maxWait,
		queue:   queue{order: order},
	}
	b.kept.due.Store(clock.Never)
	return b
}

// TryAcquireAt takes a permit if one is free and nobody waits for it, and says
// whether it did. It never waits. The permit must be released once.
func (b *Bulkhead) TryAcquireAt(now int64) bool {
	return b.take() || b.tryHarder(now)
}

func (b *Bulkhead) tryHarder(now int64) bool {
	if b.try() || b.lapsed(now) && b.try() {
		return true
	}
	b.full.Add(1)
	return false
}

// take is try where nothing is special: standing alone, nobody in the way, no
// new peak. That is nearly always, and it is small enough for the compiler to
// put it in its callers' places.
func (b *Bulkhead) take() bool {
	word := b.word.Load()
	return word < b.alone && word < b.peak.Load() && b.word.CompareAndSwap(word, word+1)
}

func (b *Bulkhead) try() bool {
	if b.share != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.pool.try(b)
	}
	for {
		// A waiter in the high half makes the word larger than any limit, so
		// that nobody overtakes the queue.
		word := b.word.Load()
		if word >= b.limit {
			return false
		}
		if b.word.CompareAndSwap(word, word+1) {
			b.raisePeak(word + 1)
			return true
		}
	}
}

func (b *Bulkhead) raisePeak(n uint64) {
	for peak := b.peak.Load(); n > peak; peak = b.peak.Load() {
		if b.peak.CompareAndSwap(peak, n) {
			return
		}
	}
}

// ReleaseAt gives a permit back, or hands it to the next waiter. It panics if
// none is in flight; releasing one permit twice while others are in flight
// cannot be told apart from releasing theirs and is a fault of the caller.
func (b *Bulkhead) ReleaseAt(now int64) {
	if b.alone == 0 || b.abandoned.count.Load() != 0 {
		b.giveBack(now)
	} else if b.word.Add(^uint64(0)) >= waiter1 {
		b.handOn(now)
	}
}

// handOn follows a release that found waiters, or nothing to release. The
// permit is free, but only for them: while anybody waits nobody else takes one.
func (b *Bulkhead) handOn(now int64) {
	b.mu.Lock()
	n := inFlight(b.word.Load())
	if n > b.limit { // below 0
		b.word.Add(1)
		b.mu.Unlock()
		panic(released)
	}
	var next *waiter
	if n < b.limit && b.queue.first != nil {
		b.word.Add(1)
		next = b.grant(now)
	}
	b.mu.Unlock()
	next.wake()
}

// giveBack is ReleaseAt where more than the word has to be looked at: in a
// share, and while permits linger.
func (b *Bulkhead) giveBack(now int64) {
	b.mu.Lock()
	if !b.inUse(b.word.Load()) {
		b.mu.Unlock()
		panic(released)
	}
	next := b.release(now)
	b.mu.Unlock()
	next.wake()
}

const released = "bulkhead: released more than was acquired"

// release frees a permit and returns the waiter that has it now, if any. The
// caller holds mu, and wakes the waiter when it no longer does.
func (b *Bulkhead) release(now int64) *waiter {
	if b.share != nil {
		return b.pool.release(b, now)
	}
	if b.queue.first == nil {
		b.word.Add(^uint64(0))
		return nil
	}
	return b.grant(now) // the permit changes hands without ever being free
}

// grant takes the next waiter off the queue and gives it a permit that the
// caller has already counted. The caller holds mu.
func (b *Bulkhead) grant(now int64) *waiter {
	w := b.queue.next(now)
	b.drop(w)
	w.granted = true
	return w
}

// drop takes a waiter off the queue. The caller holds mu.
func (b *Bulkhead) drop(w *waiter) {
	b.queue.remove(w)
	b.word.Add(^uint64(waiter1 - 1))
}

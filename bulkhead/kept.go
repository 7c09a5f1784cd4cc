package bulkhead

import (
	"sync"
	"sync/atomic"

	"github.com/stanch-go/stanch/internal/clock"
)

// A Kept is a permit that its holder may stop to need without anybody noticing,
// such as one that is held until a body is closed. No timer and no callback of a
// context watches it: the bulkhead asks the holder when it matters, which is when
// no permit is free, when somebody waits for one, when [Stats] are read, and at
// the first answer after the permit's time. Make it part of the holder.
type Kept struct {
	holder     Holder // nil when it need not be asked any more
	until      int64
	prev, next *Kept
}

// A Holder is asked for the permit that it keeps.
type Holder interface {
	// Recall gives the permit back if there is no use for it any more, and
	// else sees to it that this is done as soon as there is none. It is called
	// at most once, without a lock, and perhaps when the permit has just been
	// given back.
	Recall()
}

// Keep lets the bulkhead ask the holder of a permit for it. The permit's time is
// over at the instant until, clock.Never if that is not known.
func (b *Bulkhead) Keep(k *Kept, holder Holder, until int64) {
	k.holder, k.until = holder, min(until, lastInstant)
	b.kept.add(k)
	if b.awaited() { // after the step above, as who waits asks after it has joined the queue
		b.kept.recall(lastInstant)
	}
}

// Unkeep is called before the permit is given back.
func (b *Bulkhead) Unkeep(k *Kept) { b.kept.remove(k) }

// awaited says whether somebody waits for a permit that this one could become.
func (b *Bulkhead) awaited() bool {
	if b.share == nil {
		return waiting(b.word.Load()) > 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.pool.shares {
		if s.queue.first != nil {
			return true
		}
	}
	return false
}

// lastInstant is the latest that comes.
const lastInstant = clock.Never - 1

// kept are the permits whose holders have not been asked.
type kept struct {
	due   atomic.Int64 // no permit's time is over before; clock.Never without any
	mu    sync.Mutex   // guards first and what it leads to, and changes of due
	first *Kept
}

func (l *kept) add(k *Kept) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k.next = l.first; k.next != nil {
		k.next.prev = k
	}
	l.first = k
	if k.until < l.due.Load() {
		l.due.Store(k.until)
	}
}

func (l *kept) remove(k *Kept) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k.holder != nil {
		l.unlink(k)
	}
	if l.first == nil {
		l.due.Store(clock.Never)
	}
}

func (l *kept) unlink(k *Kept) {
	if k.next != nil {
		k.next.prev = k.prev
	}
	if k.prev != nil {
		k.prev.next = k.next
	} else {
		l.first = k.next
	}
	*k = Kept{}
}

// recall asks the holders of the permits whose time is over by the instant, and
// says whether there were any. Nobody is asked twice, so that a bulkhead that is
// full for long does not ask around at every refusal.
func (l *kept) recall(by int64) bool { return l.due.Load() <= by && l.ask(by) }

func (l *kept) ask(by int64) bool {
	var asked []Holder
	due := int64(clock.Never)
	l.mu.Lock()
	for k := l.first; k != nil; {
		next := k.next
		if k.until <= by {
			asked = append(asked, k.holder)
			l.unlink(k)
		} else {
			due = min(due, k.until)
		}
		k = next
	}
	l.due.Store(due)
	l.mu.Unlock()
	for _, h := range asked {
		h.Recall()
	}
	return len(asked) > 0
}

package bulkhead

// share is what a bulkhead is besides when it is part of a pool. The pool's
// mutex guards it, and all functions in this file are called under it.
type share struct {
	pool       *Pool
	name       string
	guaranteed uint64
	lend       bool
	turn       uint64 // not before this ticket, see Pool.next
}

// entitled says whether a share is below its guarantee.
func (b *Bulkhead) entitled() bool { return inFlight(b.word.Load()) < b.guaranteed }

// try takes a slot for the share if the rules allow it. Nobody is overtaken:
// as every slot that comes free is offered to all waiters, those that still
// wait could not have this one.
func (p *Pool) try(b *Bulkhead) bool {
	if !p.admits(b) {
		return false
	}
	p.take(b)
	return true
}

// admits is the heart of the pool: a slot may be taken only if the free ones
// outnumber those held back for others.
func (p *Pool) admits(b *Bulkhead) bool {
	held := p.reserved
	if !b.lend && b.entitled() {
		held-- // this one is held back for it
	}
	return p.free > held && inFlight(b.word.Load()) < b.limit
}

func (p *Pool) take(b *Bulkhead) {
	if !b.lend && b.entitled() {
		p.reserved--
	}
	p.free--
	b.raisePeak(inFlight(b.word.Add(1)))
}

// release frees a slot of the share and returns the waiter that has it now. At
// most one can have become admissible.
func (p *Pool) release(b *Bulkhead, now int64) *waiter {
	b.word.Add(^uint64(0))
	p.free++
	if !b.lend && b.entitled() {
		p.reserved++
	}
	next := p.next()
	if next == nil {
		return nil
	}
	p.take(next)
	oldest := next.queue.first
	w := next.grant(now)
	if w != oldest {
		// The oldest stays. It must not keep the share at the head of the pool
		// for as long as it waits, so the share queues again behind all others.
		next.turn = next.ticket()
	}
	return w
}

// next returns the share that a free slot goes to, if any.
func (p *Pool) next() *Bulkhead {
	var best *Bulkhead
	for _, b := range p.shares {
		if b.queue.first != nil && p.admits(b) && (best == nil || b.before(best)) {
			best = b
		}
	}
	return best
}

func (b *Bulkhead) before(other *Bulkhead) bool {
	if b.entitled() != other.entitled() {
		return b.entitled()
	}
	return max(b.turn, b.queue.first.ticket) < max(other.turn, other.queue.first.ticket)
}

// ticket draws the next number in the order of arrival, which matters only
// between shares.
func (b *Bulkhead) ticket() uint64 {
	if b.share == nil {
		return 0
	}
	b.pool.tickets++
	return b.pool.tickets
}

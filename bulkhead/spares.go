package bulkhead

import "github.com/stanch-go/stanch/internal/clock"

// spares are waiters that are used again: under load every call waits, and would
// make one. There are never more than have waited at once.
type spares struct{ first *waiter }

// waiterAt returns a waiter for the calling goroutine.
func (b *Bulkhead) waiterAt(clk clock.Clock, now int64) *waiter {
	b.mu.Lock()
	w := b.spares.first
	if w != nil {
		b.spares.first = w.newer
	}
	b.mu.Unlock()
	if w == nil || w.clock != clk {
		return &waiter{Waiter: clk.NewWaiter(), clock: clk, since: now}
	}
	w.Renew()
	*w = waiter{Waiter: w.Waiter, clock: clk, since: now}
	return w
}

// put keeps a waiter whose wait is over, unless somebody may yet wake it: who has
// granted it a permit does so after the lock, and it may have looked before that.
// The caller holds the lock.
func (s *spares) put(w *waiter) {
	if w.granted && !w.woken || w.clock == nil {
		return
	}
	w.newer, s.first = s.first, w
}

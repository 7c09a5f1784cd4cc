package bulkhead

import (
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// overloadedAfter is how long an adaptive queue must not have been empty.
const overloadedAfter = 100 * time.Millisecond

// A waiter is one call in a queue.
type waiter struct {
	clock.Waiter
	since   int64  // when it came
	ticket  uint64 // the order of arrival in the pool
	granted bool   // it has a permit and is off the queue
	woken   bool   // and has been told so
	clock   clock.Clock
	older   *waiter
	newer   *waiter
}

func (w *waiter) wake() {
	if w != nil {
		w.Wake()
	}
}

// queue holds waiters by arrival.
type queue struct {
	order       Order
	first, last *waiter
	busySince   int64 // when it was last empty
}

func (q *queue) push(w *waiter) {
	w.older = q.last
	if q.last == nil {
		q.first, q.busySince = w, w.since
	} else {
		q.last.newer = w
	}
	q.last = w
}

func (q *queue) remove(w *waiter) {
	if w.older == nil {
		q.first = w.newer
	} else {
		w.older.newer = w.newer
	}
	if w.newer == nil {
		q.last = w.older
	} else {
		w.newer.older = w.older
	}
	w.older, w.newer = nil, nil
}

// next returns the waiter whose turn it is. The queue is not empty.
func (q *queue) next(now int64) *waiter {
	if q.order == LIFO || q.order == Adaptive && clock.Between(q.busySince, now) >= overloadedAfter {
		return q.last
	}
	return q.first
}

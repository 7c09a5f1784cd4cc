package shed

import "github.com/stanch-go/stanch/internal/clock"

// A waiter is a request in the queue.
type waiter struct {
	clock.Waiter
	priority     Priority
	since        int64 // when it came
	queued       bool
	permit       Permit // of one that was granted
	refused      int    // why one was put out
	out          bool
	older, newer *waiter
}

// queue holds waiters by priority and arrival.
type queue struct {
	lines [priorities]line
	n     int
	busy  int64 // since when it has not been empty
}

type line struct{ first, last *waiter }

func (q *queue) push(w *waiter) {
	l := &q.lines[w.priority.index()]
	if q.n == 0 {
		q.busy = w.since
	}
	q.n++
	w.queued = true
	w.older, w.newer = l.last, nil
	if l.last == nil {
		l.first = w
	} else {
		l.last.newer = w
	}
	l.last = w
}

func (q *queue) remove(w *waiter) {
	l := &q.lines[w.priority.index()]
	if w.older == nil {
		l.first = w.newer
	} else {
		w.older.newer = w.newer
	}
	if w.newer == nil {
		l.last = w.older
	} else {
		w.newer.older = w.older
	}
	w.older, w.newer, w.queued = nil, nil, false
	q.n--
}

// next returns the waiter whose turn it is: of the highest priority the oldest,
// or the newest if it is one of the first so many lines. The queue is not empty.
func (q *queue) next(lifo int) *waiter {
	for i := priorities - 1; ; i-- {
		if l := q.lines[i]; l.first != nil {
			if i < lifo {
				return l.last
			}
			return l.first
		}
	}
}

// after returns the waiter who would be served last, if that is after a
// newcomer of the given priority; else nil.
func (q *queue) after(p Priority, lifo int) *waiter {
	for i := range p.index() + 1 {
		switch l := q.lines[i]; {
		case l.first == nil:
		case i < lifo:
			return l.first
		case i < p.index():
			return l.last
		}
	}
	return nil
}

// stale returns a waiter who came before the instant, or nil.
func (q *queue) stale(before int64) *waiter {
	for _, l := range q.lines {
		if l.first != nil && l.first.since < before {
			return l.first
		}
	}
	return nil
}

// A parade is waiters off the queue that are still to be woken. They are
// chained by newer, so that collecting them allocates nothing.
type parade struct{ first *waiter }

func (p *parade) add(w *waiter) { w.newer, p.first = p.first, w }

func (p *parade) wake() {
	for w := p.first; w != nil; {
		next := w.newer // it may be gone once it is awake
		w.Wake()
		w = next
	}
}

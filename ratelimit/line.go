package ratelimit

import "github.com/stanch-go/stanch/internal/clock"

// A line is a queue of callers, in order of arrival.
type line struct {
	first, last *waiting
	n           int
	units       uint64 // what all of them cost
}

// A waiting caller sleeps until its turn only while it is the first; the others
// until they are woken because they have become it. So nobody sleeps too long
// when one in front gives up.
type waiting struct {
	clock.Waiter
	woken      bool // a waiter may be woken once
	cost       float64
	n          uint64
	until      int64
	prev, next *waiting
}

func (l *line) push(w *waiting) {
	if w.prev = l.last; w.prev != nil {
		w.prev.next = w
	} else {
		l.first = w
	}
	l.last = w
	l.n++
	l.units += w.n
}

func (l *line) remove(w *waiting) {
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		l.first = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	} else {
		l.last = w.prev
	}
	l.n--
	l.units -= w.n
}

// alert returns the waiter that must look at the time again, the first, to be
// woken when the lock is no longer held.
func (l *line) alert() clock.Waiter {
	if l.first == nil || l.first.woken {
		return nobody{}
	}
	l.first.woken = true
	return l.first.Waiter
}

package real

import "sync"

// line lets callers in up to a limit, which may be another one for each; the
// others wait in order.
type line struct {
	queued func(length int) // told of each change, in order

	mu      sync.Mutex
	busy    int
	waiting []chan struct{}
}

// enter waits to be let in if all of limit are busy and fewer than places wait.
// No limit is 0, and any number of places less than 0. It returns false when the
// queue is full, or done is closed before the caller's turn came.
func (l *line) enter(limit, places int, done <-chan struct{}) bool {
	l.mu.Lock()
	if limit == 0 || l.busy < limit {
		l.busy++
		l.mu.Unlock()
		return true
	}
	if places >= 0 && len(l.waiting) >= places {
		l.mu.Unlock()
		return false
	}
	turn := make(chan struct{})
	l.waiting = append(l.waiting, turn)
	l.changed()
	l.mu.Unlock()
	select {
	case <-turn:
		return true
	case <-done:
		return false
	}
}

// leave lets in as many as fit.
func (l *line) leave(limit int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.busy--
	for len(l.waiting) > 0 && (limit == 0 || l.busy < limit) {
		close(l.waiting[0])
		l.waiting = l.waiting[1:]
		l.busy++
		l.changed()
	}
}

func (l *line) changed() {
	if l.queued != nil {
		l.queued(len(l.waiting))
	}
}

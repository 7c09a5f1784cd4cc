package proxy

import (
	"context"
	"sync"
)

// A tracker counts what is in flight, and can be waited for.
type tracker struct {
	mu    sync.Mutex
	n     int
	empty chan struct{} // closed when n is 0; nil when nobody waits
}

func (t *tracker) enter() {
	t.mu.Lock()
	t.n++
	t.mu.Unlock()
}

func (t *tracker) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n--
	if t.n == 0 && t.empty != nil {
		close(t.empty)
		t.empty = nil
	}
}

func (t *tracker) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

// wait returns when nothing is in flight, or with the error of ctx.
func (t *tracker) wait(ctx context.Context) error {
	t.mu.Lock()
	if t.n == 0 {
		t.mu.Unlock()
		return nil
	}
	if t.empty == nil {
		t.empty = make(chan struct{})
	}
	empty := t.empty
	t.mu.Unlock()
	select {
	case <-empty:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// A load asks without a pause, from several clients at once, until it is ended.
type load struct {
	answered atomic.Int64
	clients  sync.WaitGroup
	ends     chan struct{}

	mu     sync.Mutex
	failed []string
}

// ask begins a load of writes, which nobody repeats on his own, so that each one
// that is lost is seen.
func ask(c *http.Client, clients int, url, want string) *load {
	l := &load{ends: make(chan struct{})}
	for range clients {
		l.clients.Go(func() {
			for {
				select {
				case <-l.ends:
					return
				default:
					l.once(c, url, want)
				}
			}
		})
	}
	return l
}

func (l *load) once(c *http.Client, url, want string) {
	resp, err := c.Post(url, "text/plain", strings.NewReader("question"))
	if err != nil {
		l.fail(err.Error())
		return
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 || string(body) != want {
		l.fail(fmt.Sprintf("%d %q, %v", resp.StatusCode, body, err))
		return
	}
	l.answered.Add(1)
}

func (l *load) fail(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failed = append(l.failed, what)
}

// more waits until n more requests were answered.
func (l *load) more(t testing.TB, n int64) {
	t.Helper()
	to := l.answered.Load() + n
	until(t, fmt.Sprint(n, " more requests are answered"), func() bool {
		l.check(t)
		return l.answered.Load() >= to
	})
}

func (l *load) check(t testing.TB) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.failed) > 0 {
		t.Fatalf("%d requests failed: %s", len(l.failed), l.failed[0])
	}
}

// end ends the load, none of which may have failed.
func (l *load) end(t testing.TB) {
	t.Helper()
	close(l.ends)
	l.clients.Wait()
	l.check(t)
}

package direct

import (
	"sync"
	"time"
)

// A pool keeps the connections that nobody uses: the one that was used last is
// the first to be used again, so that those that are too many grow old.
type pool struct {
	most int
	keep time.Duration // 0: without end

	mu     sync.Mutex
	idle   []*conn     // the oldest first
	timer  *time.Timer // for the oldest; nil when there is none
	closed bool        // until somebody asks again
}

// get returns a connection that is open and has nothing to say, or nil.
func (p *pool) get() *conn {
	for {
		c := p.take()
		if c == nil || c.ready() {
			return c
		}
		c.Close()
	}
}

func (p *pool) take() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = false
	n := len(p.idle) - 1
	if n < 0 {
		return nil
	}
	c := p.idle[n]
	p.idle[n] = nil
	p.idle = p.idle[:n]
	return c
}

// put keeps a connection, or reports that there are enough.
func (p *pool) put(c *conn) bool {
	c.since = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || len(p.idle) >= p.most {
		return false
	}
	p.idle = append(p.idle, c)
	if p.timer == nil && p.keep > 0 {
		p.timer = time.AfterFunc(p.keep, p.sweep)
	}
	return true
}

// sweep closes what has been idle for too long.
func (p *pool) sweep() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil {
		return // stopped too late
	}
	old, now := 0, time.Now()
	for old < len(p.idle) && now.Sub(p.idle[old].since) >= p.keep {
		p.idle[old].Close()
		old++
	}
	rest := copy(p.idle, p.idle[old:])
	clear(p.idle[rest:])
	p.idle = p.idle[:rest]
	if rest == 0 {
		p.timer = nil
		return
	}
	p.timer.Reset(p.keep - now.Sub(p.idle[0].since))
}

// close closes all, and those that come before somebody asks again.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.idle {
		c.Close()
	}
	p.idle, p.closed = nil, true
	if p.timer != nil {
		p.timer.Stop()
		p.timer = nil
	}
}

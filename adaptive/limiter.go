package adaptive

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch/internal/permit"
	"github.com/stanch-go/stanch/outcome"
)

// A Limiter admits as many calls at once as its limit says, and moves the limit
// by what they show. It is safe for concurrent use. Make one with [New].
type Limiter struct {
	// A refusal reads one word. It is stored under mu, so that the decision is
	// right at the moment of the load; and only when it changes, since a store
	// costs as much as the lock.
	full    atomic.Bool // no permit is to be had
	limit   atomic.Int64
	refused atomic.Uint64

	least time.Duration // of a window

	mu       sync.Mutex // guards what follows
	permits  permit.Table
	window   tally
	control  control
	admitted uint64
	lost     uint64
}

// New returns a limiter, or the faults of the configuration.
func New(cfg Config) (*Limiter, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.Effective()
	l := &Limiter{least: cfg.Window, control: newControl(cfg)}
	l.publish()
	return l, nil
}

// AcquireAt takes a permit if there is one, and says whether it did. It never
// waits. The permit must be given to DoneAt, whatever ends the call: do so in a
// defer, which runs for a return, a panic and runtime.Goexit alike. The instant
// changes nothing today; it is there so that all mechanisms have one shape.
func (l *Limiter) AcquireAt(now int64) (Permit, bool) {
	if !l.full.Load() {
		l.mu.Lock()
		if !l.full.Load() {
			permit := l.permits.Take()
			l.admitted++
			l.fill(l.limit.Load())
			l.mu.Unlock()
			return permit, true
		}
		l.mu.Unlock()
	}
	l.refused.Add(1)
	return Permit{}, false
}

// DoneAt ends a call: it gives the permit back and reports what came of the call
// and how long it took, without any wait before it. A failure is a loss, and
// so is a timeout; [outcome.Ignored] says nothing, and takes no part. A permit that was
// given back before changes nothing.
func (l *Limiter) DoneAt(now int64, p Permit, o outcome.Outcome, took time.Duration) {
	l.mu.Lock()
	inFlight := l.permits.Used()
	if l.permits.Give(p) {
		l.record(now, inFlight, o, took)
		l.publish()
	}
	l.mu.Unlock()
}

// SampleAt reports a call that somebody else has admitted who keeps to Limit:
// what came of it, how long it took, and how many were in flight when it ended,
// itself among them. A limiter is used with permits or with samples, not both.
func (l *Limiter) SampleAt(now int64, inFlight int, o outcome.Outcome, took time.Duration) {
	l.mu.Lock()
	l.record(now, inFlight, o, took)
	l.publish()
	l.mu.Unlock()
}

// Limit returns how many calls may be in flight at once, now.
func (l *Limiter) Limit() int { return int(l.limit.Load()) }

func (l *Limiter) record(now int64, inFlight int, o outcome.Outcome, took time.Duration) {
	if o == outcome.Ignored {
		return
	}
	failed := o != outcome.Success
	if failed {
		l.lost++
	}
	l.window.add(now, inFlight, failed, took)
	if l.window.complete(now, l.least, l.control.settling) {
		l.control.update(now, l.window.sample())
		l.window = tally{start: now}
	}
}

// publish stores what is read without the lock.
func (l *Limiter) publish() {
	limit := int64(l.control.limit)
	if l.limit.Load() != limit {
		l.limit.Store(limit)
	}
	l.fill(limit)
}

func (l *Limiter) fill(limit int64) {
	if full := int64(l.permits.Used()) >= limit; l.full.Load() != full {
		l.full.Store(full)
	}
}

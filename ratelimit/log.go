package ratelimit

import (
	"sort"
	"sync"

	"github.com/stanch-go/stanch/internal/clock"
)

// A Log is a sliding log: it remembers when each admitted cost came, and admits
// at most Rate in any stretch of time as long as Window. Make one with [NewLog].
//
// It is exact if costs are at least 1. Memory is bounded by 16 bytes for each
// whole number in Rate; where costs below 1 need more, the newest entry takes
// them in, and they are remembered a little too long.
type Log struct {
	mu    sync.Mutex // guards all
	cfg   Config
	limit uint64 // in millionths
	last  int64  // latest instant seen
	sum   uint64 // of all that was ever admitted, in millionths; may wrap
	ring  ring
}

// An entry says what had been admitted in all, before and with this one.
type entry struct {
	at  int64
	sum uint64
}

const millionths = 1e6

// NewLog returns an empty log, or the faults of the configuration.
func NewLog(cfg Config) (*Log, error) {
	cfg, err := cfg.as(SlidingLog)
	if err != nil {
		return nil, err
	}
	l := &Log{}
	l.configure(cfg)
	return l, nil
}

func (l *Log) configure(cfg Config) {
	l.cfg = cfg
	l.limit, _ = toUnits(cfg.Rate, millionths)
}

// AllowAt admits the cost if it and what was admitted in the Window before fit
// into Rate. It looks at few entries: a refusal takes the logarithm of their
// number.
func (l *Log) AllowAt(now int64, cost float64) Decision {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cfg.Rate == 0 {
		return unlimited(cost)
	}
	now = l.advance(max(now, 0))
	n, valid := toUnits(cost, millionths)
	valid = valid && n <= l.limit
	used := l.sum - l.ring.before
	d := Decision{OK: valid && (n == 0 || used+n <= l.limit)}
	if d.OK && n > 0 {
		l.sum += n
		used += n
		l.ring.add(entry{now, l.sum}, int(min(l.limit/millionths+1, maxEntries)))
	}
	d.Remaining = float64(above(l.limit, used)) / millionths
	switch {
	case !valid:
		d.RetryAfter = Never
	case !d.OK:
		d.RetryAfter = between(now, clock.Add(l.ring.freed(used+n-l.limit), l.cfg.Window))
	}
	if l.ring.n > 0 {
		d.ResetAfter = between(now, clock.Add(l.ring.get(l.ring.n-1).at, l.cfg.Window))
	}
	return d
}

// SetAt changes the limits. What was admitted is remembered; what had been
// forgotten under a shorter Window stays so.
func (l *Log) SetAt(now int64, cfg Config) error {
	cfg, err := cfg.as(SlidingLog)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.configure(cfg)
	if cfg.Rate == 0 {
		l.ring = ring{before: l.sum}
	}
	return nil
}

// advance forgets what has left the window, and returns the latest instant seen.
// The lock is held.
func (l *Log) advance(now int64) int64 {
	if back := l.last - now; back > int64(lateness) {
		for i := range l.ring.n {
			l.ring.get(i).at -= back
		}
		l.last = now
	}
	l.last = max(l.last, now)
	for l.ring.n > 0 && clock.Add(l.ring.get(0).at, l.cfg.Window) <= l.last {
		l.ring.drop()
	}
	return l.last
}

// A ring is a queue of entries that grows up to a bound.
type ring struct {
	entries  []entry
	start, n int
	before   uint64 // the sum before the first entry
}

func (r *ring) get(i int) *entry {
	if i += r.start; i >= len(r.entries) {
		i -= len(r.entries)
	}
	return &r.entries[i]
}

func (r *ring) drop() {
	r.before = r.get(0).sum
	r.start++
	if r.n--; r.start == len(r.entries) {
		r.start = 0
	}
}

// add appends an entry, or joins it with the newest if that is of the same
// instant or there is no room.
func (r *ring) add(e entry, room int) {
	if r.n > 0 && (r.get(r.n-1).at == e.at || r.n >= room) {
		*r.get(r.n - 1) = e
		return
	}
	if r.n == len(r.entries) {
		grown := make([]entry, min(max(2*r.n, 8), max(room, r.n+1)))
		for i := range r.n {
			grown[i] = *r.get(i)
		}
		r.entries, r.start = grown, 0
	}
	r.n++
	*r.get(r.n - 1) = e
}

// freed returns the instant of the entry with which at least n have left.
func (r *ring) freed(n uint64) int64 {
	i := sort.Search(r.n-1, func(i int) bool { return r.get(i).sum-r.before >= n })
	return r.get(i).at
}

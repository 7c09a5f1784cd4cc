package demo

import (
	"slices"
	"sync"
	"time"
)

// An ending is how a user's visit ended.
type ending uint8

const (
	live     ending = iota // with an answer that the dependency gave
	degraded               // with an answer from elsewhere
	failed                 // with an error
	gaveUp                 // with the user's patience
	waiting                // with the demonstration
	endings
)

// A book counts what users of one service saw. A nil book counts nothing.
type book struct {
	cfg   Config
	began time.Time

	mu      sync.Mutex // guards all below
	arrived int
	ended   int
	ticks   []tick // the last one is for what ended after the load
	last    time.Time
	silence time.Duration
}

type tick struct {
	count [endings]int
	waits []time.Duration
}

func newBook(cfg Config, began time.Time) *book {
	return &book{cfg: cfg, began: began, ticks: make([]tick, cfg.ticks()+1), last: began}
}

func (b *book) came() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.arrived++
}

// left ends, now, the visit of a user who was due at that time.
func (b *book) left(now time.Time, how ending, due time.Time) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended++
	t := &b.ticks[min(int(now.Sub(b.began)/b.cfg.Tick), len(b.ticks)-1)]
	t.count[how]++
	t.waits = append(t.waits, now.Sub(due))
	if how == live || how == degraded {
		b.silence += b.silentUntil(now)
		b.last = later(b.last, now)
	}
}

// later is the later one: users may reach the book in another order than they
// left in.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// silentUntil is the time without an answer that ends now, 0 if it is too short
// to be called silence.
func (b *book) silentUntil(now time.Time) time.Duration {
	if quiet := now.Sub(b.last); quiet >= b.cfg.Tick {
		return quiet
	}
	return 0
}

// tell fills in what the book knows, up to now.
func (b *book) tell(s *Service, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var waits []time.Duration
	over := min(int(now.Sub(b.began)/b.cfg.Tick), len(b.ticks)-1)
	for _, t := range b.ticks[:over] {
		s.Ticks = append(s.Ticks, Tick{
			Live: t.count[live], Degraded: t.count[degraded], Failed: t.count[failed] + t.count[gaveUp],
			P99: quantile(slices.Sorted(slices.Values(t.waits)), 0.99),
		})
	}
	for _, t := range b.ticks {
		s.Live += t.count[live]
		s.Degraded += t.count[degraded]
		s.Failed += t.count[failed]
		s.GaveUp += t.count[gaveUp]
		s.Waiting += t.count[waiting]
		waits = append(waits, t.waits...)
	}
	s.Waiting += b.arrived - b.ended
	slices.Sort(waits)
	s.P50, s.P99 = quantile(waits, 0.5), quantile(waits, 0.99)
	s.Quiet = max(0, now.Sub(b.last))
	s.Silence = b.silence + b.silentUntil(now)
}

// quantile is the least of sorted values that is not exceeded by that share of
// them, 0 without values.
func quantile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

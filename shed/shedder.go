package shed

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/internal/permit"
	"github.com/stanch-go/stanch/internal/random"
	"github.com/stanch-go/stanch/outcome"
)

// A Limiter finds out how many requests may be in flight: adaptive.Limiter is
// one. Both methods are called with no lock held.
type Limiter interface {
	// Limit returns the most requests that may be in flight now.
	Limit() int
	// SampleAt reports a request that has ended: what came of it, how long it
	// took without the wait in the queue, and how many were in flight, itself
	// among them.
	SampleAt(now int64, inFlight int, o outcome.Outcome, took time.Duration)
}

// A Shedder admits requests and refuses them. It is safe for concurrent use.
// Make one with [New].
type Shedder struct {
	settings atomic.Pointer[settings]
	random   *random.Source // of levels and of RetryAfter

	// What is refused for its rank or its time takes no lock.
	began   atomic.Int64 // the current interval
	lowest  atomic.Int32 // rank that passes
	since   atomic.Int64 // when the overload began; the present without one
	arrived [ranks]atomic.Uint32
	refused [priorities][reasons]atomic.Uint64
	service service

	mu        sync.Mutex // guards what follows
	permits   permit.Table
	queue     queue
	interval  interval
	threshold threshold
	admitted  [priorities]uint64
}

// settings are what SetAt changes.
type settings struct {
	Config
	limiter Limiter // nil if the limit is fixed
}

// stale says that no request has come for so long that nothing is known of the load.
func (c *settings) stale(began, now int64) bool {
	return clock.Between(began, now)/forgotten > c.Interval
}

// New returns a shedder, or the faults of the configuration. The limiter may be
// nil. Chance is drawn from a generator of its own that rnd seeds; nil seeds it
// at random.
func New(cfg Config, limiter Limiter, rnd *rand.Rand) (*Shedder, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	seed := rand.Uint64
	if rnd != nil {
		seed = rnd.Uint64
	}
	s := &Shedder{random: random.NewSource(seed())}
	s.settings.Store(&settings{cfg.Effective(), limiter})
	s.since.Store(clock.Never)
	return s, nil
}

// SetAt changes the configuration and the limiter. Who is in flight or waits
// stays so, and what is known of the load stays known. A higher limit is used at
// once, a lower one as requests end.
func (s *Shedder) SetAt(now int64, cfg Config, limiter Limiter) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	after := &settings{cfg.Effective(), limiter}
	s.mu.Lock()
	before := s.settings.Swap(after)
	s.threshold.scale(float64(after.Interval) / float64(before.Interval))
	s.mu.Unlock()
	s.grant(now)
	return nil
}

// limit asks how many may be in flight. The caller does not hold mu.
func (s *Shedder) limit() int {
	in := s.settings.Load()
	n := in.Limit
	if n == 0 {
		n = math.MaxInt
	}
	if in.limiter != nil {
		n = min(n, in.limiter.Limit())
	}
	return n
}

// TryAcquireAt admits a request or refuses it. It never waits. The permit must
// be given to DoneAt, whatever ends the request: do so in a defer.
func (s *Shedder) TryAcquireAt(now int64, r Request) (Permit, Decision) {
	if why, ok := s.pass(now, r); !ok {
		return s.refuse(now, r.Priority, why)
	}
	limit := s.limit()
	s.mu.Lock()
	permit, ok := s.take(r.Priority, limit)
	if !ok {
		s.interval.turned++
	}
	s.mu.Unlock()
	if !ok {
		return s.refuse(now, r.Priority, full)
	}
	return permit, Decision{OK: true}
}

// pass says whether a request has time enough and ranks high enough, or why not.
func (s *Shedder) pass(now int64, r Request) (why int, ok bool) {
	if s.doomed(now, r.Until) {
		return deadline, false
	}
	level := r.Level
	if level == 0 || level > Levels {
		level = Level(s.random.Uint64()%Levels) + 1
	}
	n := r.Priority.index()*Levels + int(level) - 1
	s.arrived[n].Add(1)
	// Time that went backwards is a large number here.
	if uint64(now-s.began.Load()) >= uint64(s.settings.Load().Interval) {
		s.next(now)
	}
	return rank, n >= int(s.lowest.Load())
}

func (s *Shedder) doomed(now, until int64) bool {
	return until != 0 && until != clock.Never && s.service.hopeless(clock.Between(now, until))
}

// take gives out a permit if one is free and nobody waits for it. The caller
// holds mu.
func (s *Shedder) take(p Priority, limit int) (Permit, bool) {
	if s.queue.n > 0 || s.permits.Used() >= limit {
		s.interval.crowded = true
		return Permit{}, false
	}
	return s.begin(p), true
}

func (s *Shedder) begin(p Priority) Permit {
	s.interval.begun++
	s.admitted[p.index()]++
	return s.permits.Take()
}

// next ends the interval, if it still is time to.
func (s *Shedder) next(now int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	began := s.began.Load()
	if now < began {
		s.began.Store(now)
		return
	}
	passed, length := clock.Between(began, now), s.settings.Load().Interval
	if passed < length {
		return
	}
	i := s.interval
	i.length = float64(passed) / float64(length)
	i.stood = s.queue.n > 0 && s.queue.busy <= began
	s.lowest.Store(int32(s.threshold.set(i, func(n int) int { return int(s.arrived[n].Swap(0)) })))
	if !s.threshold.shedding {
		s.since.Store(clock.Never)
	} else if s.since.Load() == clock.Never {
		s.since.Store(now)
	}
	s.interval = interval{}
	s.began.Store(now)
}

// DoneAt ends a request: it gives the permit back, or hands it to who waits, and
// reports what came of the request and how long it took, without the wait. A permit that
// was given back before changes nothing.
func (s *Shedder) DoneAt(now int64, p Permit, o outcome.Outcome, took time.Duration) {
	s.mu.Lock()
	inFlight := s.permits.Used()
	if !s.permits.Give(p) {
		s.mu.Unlock()
		return
	}
	if o == outcome.Success {
		s.service.add(took)
	}
	waiting := s.queue.n > 0
	s.mu.Unlock()
	if limiter := s.settings.Load().limiter; limiter != nil {
		limiter.SampleAt(now, inFlight, o, took) // which may raise the limit
		waiting = true
	}
	if waiting {
		s.grant(now)
	}
}

// Package breaker stops calling what keeps failing.
//
// A Breaker watches the outcomes of the calls to one dependency. It is closed
// while they are good enough. When too many fail or are too slow it opens, and
// refuses calls at once instead of letting each wait for its own timeout. After
// a cooldown it is half-open: a few probes are let through, and they decide
// whether it closes or opens again. The pattern is Michael Nygard's (Release
// It!, 2007).
//
// To this it adds what the plain pattern lacks: a trickle of single probes
// while open, so that a recovery is seen long before the cooldown is over; a
// ramp after closing, so that the dependency is not flooded; forced states;
// and a dark mode that decides and reports but refuses nothing.
//
// # Permits
//
// Every admitted call holds a Permit and ends it with one DoneAt, whatever
// ends the call: an answer, an error, a panic or runtime.Goexit (so call it in
// a defer), and a call that was never sent, which is outcome.Ignored. A permit
// belongs to the generation of the breaker that gave it, and each opening,
// closing and forcing begins a new one. A result that arrives in a later
// generation is not counted there: a call that was admitted while closed
// neither closes nor reopens the breaker. Probes also hold a lease, so that
// one that never reports cannot keep the breaker half-open for ever.
//
// A Breaker is a state machine that is given the time: it reads no clock,
// starts no goroutine and never waits, and it calls OnTransition after its lock
// is free. Instants are nanoseconds of a monotonic clock, from 0 on; one that
// runs backwards is taken as standing still. All methods are safe for
// concurrent use.
package breaker

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/internal/random"
	"github.com/stanch-go/stanch/internal/window"
	"github.com/stanch-go/stanch/outcome"
)

// A Breaker guards the calls to one dependency. Make one with New.
type Breaker struct {
	// Two paths take no lock, and each rests on a single atomic load: a call is
	// admitted if the word says that all are, and refused if the instant is
	// before quiet. So the decision is right at the moment of that load, whatever
	// happens next. Everything else is under mu, and what is read without it is
	// stored while it is held, by publish.
	word    atomic.Uint64 // generation<<1, plus 1 while every call is admitted
	quiet   atomic.Int64  // every call before this instant is refused
	refused atomic.Uint64 // calls refused, or in dark mode that would have been

	cfg     Config // with its defaults filled in
	longest int64  // cooldown that can be
	notify  func(Transition)
	calls   recent     // guarded by mu
	rand    *rand.Rand // likewise; nil without jitter; our own, so that no user code runs under mu

	// The lock and what the result of a good call reads and writes fill one cache
	// line (TestOneLine), which cores hand on to each other as one, and which is
	// not the line of the word that they all read. While the window has no failure,
	// good calls are only counted here, and added to it at the end of its current
	// bucket or when somebody asks.
	mu         sync.Mutex // guards all below
	state      State
	generation uint64
	since      int64 // when the state began
	latest     int64 // result
	run        int   // failures without a success in between
	good       int   // calls that are still to be added to the window
	turn       int64 // until when good calls are only counted

	runStart  int64 // when the first failure of run was recorded
	cooldown  float64
	openUntil int64
	opened    uint64
	successes int // of probes, since the breaker opened
	probes    probes
	trickle   trickle
	ramp      ramp
	events    events
}

// recent is a window of calls, by time or by count.
type recent interface {
	Add(now int64, failed, slow bool) window.Counts
	AddGood(n int)
	Until() int64
	Counts(now int64) window.Counts
	Reset()
}

// Options is what a Breaker is given beside its Config. The zero value is
// ready to use.
type Options struct {
	// OnTransition is told every change of state, in order, each once, one at a
	// time, with no lock held: it may call the breaker. It runs on the goroutine
	// of a call that met the change, or of one that was there at the time.
	OnTransition func(Transition)
	// Rand returns numbers in [0, 1). It seeds the jitter of the cooldown, in New
	// only. The default is the generator of math/rand/v2.
	Rand func() float64
}

// New returns a closed breaker, or the faults of its configuration.
func New(cfg Config, o Options) (*Breaker, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	b := &Breaker{cfg: cfg, notify: o.OnTransition, generation: 1}
	b.cooldown = float64(cfg.Cooldown)
	b.longest = saturate(max(b.cooldown, float64(cfg.CooldownMax)) * (1 + cfg.CooldownJitter))
	b.probes.list = make([]probe, 0, max(cfg.Probes, cfg.Trickle.Overlap))
	if cfg.Calls > 0 {
		b.calls = window.NewCount(cfg.Calls)
	} else {
		b.calls = window.NewTime(cfg.Window)
	}
	if cfg.CooldownJitter > 0 {
		draw := o.Rand
		if draw == nil {
			draw = rand.Float64
		}
		b.rand = random.New(math.Float64bits(draw()))
	}
	b.publish()
	return b, nil
}

// A Permit is the right to make one call. The zero Permit is held by a call
// that was refused, and ending it does nothing. A permit is ended by one
// DoneAt; a second is harmless for a probe and counts the call twice otherwise.
type Permit struct {
	tag  uint64 // the generation of a call, the serial number of a probe
	kind kind
}

type kind uint8

const (
	none   kind = iota
	call        // counted in the window
	trial       // a probe
	unseen      // let through in dark mode only, and not counted
)

// Probe tells whether the call is a probe, on which the state depends.
func (p Permit) Probe() bool { return p.kind == trial }

// WouldRefuse tells whether the call was let through only because the breaker
// is in dark mode.
func (p Permit) WouldRefuse() bool { return p.kind == unseen }

// Allow is AllowAt now.
func (b *Breaker) Allow() (Permit, bool) { return b.AllowAt(clock.Real.Now()) }

// Done is DoneAt now.
func (b *Breaker) Done(p Permit, o outcome.Outcome, took time.Duration) {
	b.DoneAt(clock.Real.Now(), p, o, took)
}

// AllowAt asks to make a call. If it returns true, the call may be made, and
// the permit must be ended with DoneAt. If it returns false, the call is
// refused and there is nothing to end.
func (b *Breaker) AllowAt(now int64) (Permit, bool) {
	if w := b.word.Load(); w&1 != 0 {
		return Permit{w >> 1, call}, true
	}
	if now < b.quiet.Load() {
		return b.refuse()
	}
	return b.decide(now)
}

// Admits tells, by one atomic load, whether every call is admitted at this moment.
func (b *Breaker) Admits() bool { return b.word.Load()&1 != 0 }

// RefuseAt refuses a call if at the instant every call is refused, and then
// returns RetryAfterAt. It is AllowAt for those who would have to prepare a call
// that is let through; if it returns false, AllowAt decides.
func (b *Breaker) RefuseAt(now int64) (after time.Duration, refused bool) {
	quiet := b.quiet.Load()
	if now >= quiet || b.cfg.Dark {
		return 0, false
	}
	b.refused.Add(1)
	return b.retryAfter(now, quiet), true
}

// refuse counts a refusal and says so, or in dark mode lets the call through.
func (b *Breaker) refuse() (Permit, bool) {
	b.refused.Add(1)
	if b.cfg.Dark {
		return Permit{kind: unseen}, true
	}
	return Permit{}, false
}

// DoneAt ends a permit with what the call said about the dependency and how
// long it took. A call longer than Config.SlowCall is slow, and a slow probe is
// a failed one.
func (b *Breaker) DoneAt(now int64, p Permit, o outcome.Outcome, took time.Duration) {
	failed := o == outcome.Failure
	slow := b.cfg.SlowCall > 0 && took > b.cfg.SlowCall
	switch {
	case p.kind == trial:
		b.endProbe(now, p.tag, o, slow)
	case p.kind == call && (failed || o == outcome.Success):
		b.count(now, p.tag, failed, slow)
	}
}

// count records a result of a call that was admitted in the given generation.
func (b *Breaker) count(now int64, generation uint64, failed, slow bool) {
	b.mu.Lock()
	if generation != b.generation {
		b.mu.Unlock() // the state it speaks of is over
		return
	}
	now = max(now, b.latest, b.since)
	b.latest = now
	if !failed {
		b.run = 0
	} else {
		if b.run == 0 {
			b.runStart = now
		}
		b.run++
	}
	if !failed && !slow && now < b.turn {
		b.good++
		b.mu.Unlock()
		return
	}
	b.gather()
	c := b.calls.Add(now, failed, slow)
	if b.healthy(c) { // nothing to judge
		b.mu.Unlock()
		return
	}
	if reason := b.judge(now, c); reason != "" && b.state == Closed {
		b.open(now, reason)
	}
	b.unlock()
}

// gather adds the good calls to the window that have only been counted.
func (b *Breaker) gather() {
	if b.good > 0 {
		b.calls.AddGood(b.good)
		b.good = 0
	}
}

// healthy tells whether the window has no failure, and if so lets good calls
// only be counted until its current bucket ends.
func (b *Breaker) healthy(c window.Counts) bool {
	ok := c.Failures|c.Slow == 0
	b.turn = math.MinInt64
	if ok {
		b.turn = b.calls.Until()
	}
	return ok
}

// judge says why the breaker should open, or nothing.
func (b *Breaker) judge(now int64, c window.Counts) string {
	if n := b.cfg.Consecutive; n > 0 && b.run >= n && (b.run >= 2*n || now-b.runStart >= int64(b.cfg.ConsecutiveSpan)) {
		return ReasonConsecutive
	}
	if c.Total < b.cfg.MinCalls {
		return ""
	}
	// The quotient is the number nearest to the true ratio, and so is a threshold
	// written in decimals. ratio*total would be rounded a second time, and 7 of
	// 100 be below 0.07.
	if share(c.Failures, c.Total) >= b.cfg.FailureRatio {
		return ReasonFailureRatio
	}
	if b.cfg.SlowCall > 0 && share(c.Slow, c.Total) >= b.cfg.SlowRatio {
		return ReasonSlowRatio
	}
	return ""
}

func share(part, whole int) float64 { return float64(part) / float64(whole) }

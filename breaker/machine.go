package breaker

import (
	"math"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
)

// lock begins a locked section at the given instant: it brings the state up to
// it, and returns it, or the beginning of the state if that is later.
func (b *Breaker) lock(now int64) int64 {
	b.mu.Lock()
	now = max(now, b.since)
	if b.state == HalfOpen {
		if end, over := b.probes.overdue(b.generation, now); over {
			b.open(end, ReasonProbeLeaseOver)
		}
	}
	b.probes.expire(now)
	if b.state == Open && now >= b.openUntil {
		b.enter(b.openUntil, HalfOpen, ReasonCooldownOver)
	}
	return now
}

// unlock ends a locked section and delivers the transitions met in it.
func (b *Breaker) unlock() {
	b.publish()
	deliver := b.events.waiting()
	b.mu.Unlock()
	if deliver {
		b.deliver()
	}
}

// publish stores what the paths without a lock read.
func (b *Breaker) publish() {
	word, quiet := b.generation<<1, int64(math.MinInt64)
	switch b.state {
	case Closed:
		if !b.ramp.on {
			word |= 1
		}
	case ForcedClosed:
		word |= 1
	case ForcedOpen:
		quiet = clock.Never
	case Open:
		quiet = min(b.openUntil, b.nextTrickle())
	case HalfOpen:
		if len(b.probes.list) >= b.cfg.Probes {
			quiet = b.probes.firstEnd()
		}
	}
	// While the word admits all, quiet is no instant that is to come: so who sees
	// either may go by it alone, also between the two stores.
	if word&1 == 0 {
		b.setWord(word)
	}
	if b.quiet.Load() != quiet {
		b.quiet.Store(quiet)
	}
	b.setWord(word)
}

// setWord stores the word if it is another: a store costs more than a look, and
// most sections change nothing.
func (b *Breaker) setWord(word uint64) {
	if b.word.Load() != word {
		b.word.Store(word)
	}
}

// decide is AllowAt where a lock is needed.
func (b *Breaker) decide(now int64) (Permit, bool) {
	now = b.lock(now)
	defer b.unlock()
	switch b.state {
	case Closed:
		if b.ramp.admit(now) {
			return Permit{b.generation, call}, true
		}
	case ForcedClosed: // forced since AllowAt looked
		return Permit{b.generation, call}, true
	case Open:
		if now >= b.nextTrickle() {
			b.trickle.sent(now)
			return b.probe(now, true), true
		}
	case HalfOpen:
		if len(b.probes.list) < b.cfg.Probes {
			return b.probe(now, false), true
		}
	}
	return b.refuse()
}

func (b *Breaker) probe(now int64, early bool) Permit {
	end := clock.Add(now, b.cfg.ProbeLease)
	return Permit{b.probes.add(b.generation, end, early), trial}
}

// nextTrickle is when the trickle may send its next probe.
func (b *Breaker) nextTrickle() int64 {
	if b.cfg.Trickle.First > 0 && len(b.probes.list) >= b.cfg.Trickle.Overlap {
		return max(b.trickle.next, b.probes.firstEnd())
	}
	return b.trickle.next
}

// endProbe gives a probe's place back and hears what it has to say.
func (b *Breaker) endProbe(now int64, serial uint64, o outcome.Outcome, slow bool) {
	now = b.lock(now)
	defer b.unlock()
	p, ok := b.probes.remove(serial)
	if !ok || p.generation != b.generation {
		return // ended before, its lease is over, or the breaker went on without it
	}
	switch {
	case o == outcome.Success && !slow:
		b.successes++
		if b.successes >= b.cfg.ProbeSuccesses {
			b.close(now, ReasonProbeSucceeded)
		} else if b.state == Open {
			b.enter(now, HalfOpen, ReasonProbeSucceeded) // a probe of the trickle: ask for the rest at once
		}
	case p.early:
		// It was sent before the cooldown was over, when failure is to be expected.
	case o == outcome.Failure:
		b.open(now, ReasonProbeFailed)
	case o == outcome.Success:
		b.open(now, ReasonProbeSlow)
	}
}

// open begins a new generation, in which calls are refused.
func (b *Breaker) open(at int64, reason string) {
	if b.state == Closed && !b.ramp.running(at) {
		b.cooldown = float64(b.cfg.Cooldown) // a new outage
	}
	wait := b.cooldown
	if b.rand != nil {
		wait *= 1 + b.cfg.CooldownJitter*(2*b.rand.Float64()-1)
	}
	b.openUntil = clock.Add(at, time.Duration(saturate(wait)))
	b.cooldown = min(max(b.cooldown*b.cfg.CooldownFactor, float64(b.cfg.Cooldown)/100), float64(b.cfg.CooldownMax))
	b.opened++
	b.trickle.start(at, b.cfg.Trickle)
	b.begin(at, Open, reason)
}

// close begins a new generation, in which calls are admitted, gradually if
// there is a ramp.
func (b *Breaker) close(at int64, reason string) {
	b.ramp.start(at, b.cfg)
	b.begin(at, Closed, reason)
}

// begin enters a state with a new generation and empty counts.
func (b *Breaker) begin(at int64, s State, reason string) {
	b.generation++
	b.calls.Reset()
	b.good, b.turn = 0, math.MinInt64
	b.run = 0
	b.successes = 0
	b.enter(at, s, reason)
}

// enter changes the state. Open and half-open share a generation: every call
// admitted in either is a probe, and says the same thing.
func (b *Breaker) enter(at int64, s State, reason string) {
	if b.notify != nil {
		b.events.add(Transition{at, b.state, s, reason})
	}
	b.state = s
	b.since = at
}

// saturate converts to an integer without overflow.
func saturate(x float64) int64 {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(x)
}

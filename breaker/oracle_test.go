package breaker

import (
	"time"

	"github.com/stanch-go/stanch/outcome"
)

// oracle is a breaker as plainly as it can be said: it remembers every result
// and every probe, and works everything out again each time. It has no jitter
// and wants time that does not run backwards.
type oracle struct {
	cfg     Config
	state   State
	since   int64
	until   int64 // end of the cooldown
	wait    float64
	sent    []int64 // by the trickle since the opening
	results []result
	probes  []*oracleProbe
	good    int // probes that succeeded since the opening
	ramping bool
	credit  float64
	age     int // generation
	told    []Transition
}

type result struct {
	at           int64
	failed, slow bool
}

type oracleProbe struct {
	age      int
	end      int64
	early    bool
	finished bool
}

// ticket is the oracle's permit: a probe, or the age at which a call passed.
type ticket struct {
	age   int
	probe *oracleProbe
}

func newOracle(cfg Config) *oracle {
	cfg = cfg.withDefaults()
	return &oracle{cfg: cfg, wait: float64(cfg.Cooldown)}
}

func (o *oracle) move(at int64, to State, reason string) {
	o.told = append(o.told, Transition{at, o.state, to, reason})
	if !(o.state == Open && to == HalfOpen) {
		o.age++
		o.results = nil
		o.good = 0
	}
	o.ramping = to == Closed && o.state != ForcedClosed && o.cfg.Ramp > 0
	o.credit = 1
	o.state, o.since = to, at
}

func (o *oracle) open(at int64, reason string) {
	if o.state == Closed && !(o.ramping && at < o.since+int64(o.cfg.Ramp)) {
		o.wait = float64(o.cfg.Cooldown)
	}
	o.until = at + int64(o.wait)
	o.wait = max(o.wait*o.cfg.CooldownFactor, float64(o.cfg.Cooldown)/100)
	o.wait = min(o.wait, float64(o.cfg.CooldownMax))
	o.sent = nil
	o.move(at, Open, reason)
}

// pass lets the clock do its work up to now.
func (o *oracle) pass(now int64) {
	first := (*oracleProbe)(nil)
	for _, p := range o.probes {
		over := !p.finished && p.end <= now && p.age == o.age && !p.early
		if over && (first == nil || p.end < first.end) {
			first = p
		}
	}
	if first != nil && o.state == HalfOpen {
		o.open(first.end, ReasonProbeLeaseOver)
	}
	for _, p := range o.probes {
		p.finished = p.finished || p.end <= now
	}
	if o.state == Open && now >= o.until {
		o.move(o.until, HalfOpen, ReasonCooldownOver)
	}
}

func (o *oracle) flying() (n int) {
	for _, p := range o.probes {
		if !p.finished {
			n++
		}
	}
	return n
}

// due is when the next probe of the trickle is.
func (o *oracle) due() int64 {
	gap := float64(o.cfg.Trickle.First)
	last := o.since
	for _, at := range o.sent {
		gap = min(gap*o.cfg.Trickle.Factor, float64(o.cfg.Trickle.Max))
		last = at
	}
	return last + int64(gap)
}

func (o *oracle) allow(now int64) (ticket, bool) {
	o.pass(now)
	probe := func(early bool) (ticket, bool) {
		p := &oracleProbe{age: o.age, end: now + int64(o.cfg.ProbeLease), early: early}
		o.probes = append(o.probes, p)
		return ticket{o.age, p}, true
	}
	switch o.state {
	case ForcedClosed:
		return ticket{age: o.age}, true
	case Closed:
		if done := float64(now-o.since) / float64(o.cfg.Ramp); o.ramping && done < 1 {
			o.credit += o.cfg.RampFrom + (1-o.cfg.RampFrom)*float64(now-o.since)/float64(o.cfg.Ramp)
			if o.credit < 1 {
				return ticket{}, false
			}
			o.credit--
		}
		return ticket{age: o.age}, true
	case Open:
		if o.cfg.Trickle.First > 0 && now >= o.due() && o.flying() < o.cfg.Trickle.Overlap {
			o.sent = append(o.sent, now)
			return probe(true)
		}
	case HalfOpen:
		if o.flying() < o.cfg.Probes {
			return probe(false)
		}
	}
	return ticket{}, false
}

// window is what counts at an instant.
func (o *oracle) window(now int64) (total, failures, slow int) {
	width := int64(o.cfg.Window) / 10
	for i, r := range o.results {
		if o.cfg.Calls > 0 {
			if i < len(o.results)-o.cfg.Calls {
				continue
			}
		} else if now/width-r.at/width >= 10 {
			continue
		}
		total++
		if r.failed {
			failures++
		}
		if r.slow {
			slow++
		}
	}
	return total, failures, slow
}

func (o *oracle) done(now int64, t ticket, out outcome.Outcome, took time.Duration) {
	slow := o.cfg.SlowCall > 0 && took > o.cfg.SlowCall
	if t.probe != nil {
		o.pass(now)
		if t.probe.finished {
			return
		}
		t.probe.finished = true
		if t.age != o.age || out == outcome.Ignored {
			return
		}
		switch {
		case out == outcome.Success && !slow:
			o.good++
			if o.good == o.cfg.ProbeSuccesses {
				o.move(now, Closed, ReasonProbeSucceeded)
			} else if o.state == Open {
				o.move(now, HalfOpen, ReasonProbeSucceeded)
			}
		case t.probe.early:
		case out == outcome.Failure:
			o.open(now, ReasonProbeFailed)
		default:
			o.open(now, ReasonProbeSlow)
		}
		return
	}
	if t.age != o.age || out == outcome.Ignored {
		return
	}
	o.results = append(o.results, result{now, out == outcome.Failure, slow})
	if o.state != Closed {
		return
	}
	run := 0
	for i := len(o.results) - 1; i >= 0 && o.results[i].failed; i-- {
		run++
	}
	total, failures, slows := o.window(now)
	n := float64(total)
	switch {
	case o.cfg.Consecutive > 0 && run >= o.cfg.Consecutive &&
		(run >= 2*o.cfg.Consecutive || now-o.results[len(o.results)-run].at >= int64(o.cfg.ConsecutiveSpan)):
		o.open(now, ReasonConsecutive)
	case total < o.cfg.MinCalls:
	case failures > 0 && float64(failures)/n >= o.cfg.FailureRatio:
		o.open(now, ReasonFailureRatio)
	case slows > 0 && float64(slows)/n >= o.cfg.SlowRatio:
		o.open(now, ReasonSlowRatio)
	}
}

func (o *oracle) force(now int64, to State) {
	o.pass(now)
	if o.state != to {
		o.move(now, to, ReasonForced)
	}
}

func (o *oracle) auto(now int64) {
	o.pass(now)
	if o.state == ForcedOpen || o.state == ForcedClosed {
		o.move(now, Closed, ReasonAuto)
	}
}

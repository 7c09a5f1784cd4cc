package breaker

import (
	"errors"
	"fmt"
	"time"
)

const (
	maxCalls  = 1_000_000 // a byte each
	maxProbes = 1000      // they are searched one by one
)

// Validate returns every fault at once, each with the path of its field in a
// policy file, or nil. The zero Config has none.
func (c Config) Validate() error {
	var f faults
	f.duration("window", c.Window)
	if c.Window > 0 && c.Window < time.Millisecond {
		f.add("window", "must be at least 1ms, is %v", c.Window)
	}
	f.number("calls", c.Calls, maxCalls)
	if c.Calls > 0 && c.Window > 0 {
		f.add("calls", "must not be set together with window")
	}
	f.number("min_calls", c.MinCalls, 0)
	if c.Calls > 0 && c.MinCalls > c.Calls {
		f.add("min_calls", "must not be more than calls (%d), is %d", c.Calls, c.MinCalls)
	}
	f.share("failure_ratio", c.FailureRatio)
	f.duration("slow_call", c.SlowCall)
	f.share("slow_ratio", c.SlowRatio)
	f.needs("slow_ratio", c.SlowRatio != 0, "slow_call", c.SlowCall != 0)
	f.number("consecutive", c.Consecutive, 0)
	f.duration("consecutive_span", c.ConsecutiveSpan)
	f.needs("consecutive_span", c.ConsecutiveSpan != 0, "consecutive", c.Consecutive != 0)

	f.duration("cooldown", c.Cooldown)
	f.factor("cooldown_factor", c.CooldownFactor, 0.1)
	f.duration("cooldown_max", c.CooldownMax)
	if cooldown := c.withDefaults().Cooldown; c.CooldownMax > 0 && c.CooldownMax < cooldown {
		f.add("cooldown_max", "must not be less than cooldown (%v), is %v", cooldown, c.CooldownMax)
	}
	if !(c.CooldownJitter >= 0 && c.CooldownJitter < 1) {
		f.add("cooldown_jitter", "must be at least 0 and less than 1, is %v", c.CooldownJitter)
	}
	f.number("probes", c.Probes, maxProbes)
	f.number("probe_successes", c.ProbeSuccesses, 0)
	f.duration("probe_lease", c.ProbeLease)
	c.Trickle.validate(&f)
	f.duration("ramp", c.Ramp)
	f.share("ramp_from", c.RampFrom)
	f.needs("ramp_from", c.RampFrom != 0, "ramp", c.Ramp != 0)
	switch c.Counts {
	case "", CountsAttempts, CountsCall:
	default:
		f.add("counts", "must be %s or %s, is %q", CountsAttempts, CountsCall, string(c.Counts))
	}
	return errors.Join(f...)
}

func (t Trickle) validate(f *faults) {
	f.duration("trickle.first", t.First)
	f.factor("trickle.factor", t.Factor, 1)
	f.duration("trickle.max", t.Max)
	if t.Max > 0 && t.Max < t.First {
		f.add("trickle.max", "must not be less than trickle.first (%v), is %v", t.First, t.Max)
	}
	f.number("trickle.overlap", t.Overlap, maxProbes)
	on := t.First != 0
	f.needs("trickle.factor", t.Factor != 0, "trickle.first", on)
	f.needs("trickle.max", t.Max != 0, "trickle.first", on)
	f.needs("trickle.overlap", t.Overlap != 0, "trickle.first", on)
}

// faults gathers what is wrong. Comparisons of floating-point numbers are
// written so that NaN is out of every range.
type faults []error

func (f *faults) add(path, format string, args ...any) {
	*f = append(*f, fmt.Errorf(path+": "+format, args...))
}

func (f *faults) duration(path string, d time.Duration) {
	if d < 0 {
		f.add(path, "must not be negative, is %v", d)
	}
}

// number wants n in [0, most], or unbounded if most is 0.
func (f *faults) number(path string, n, most int) {
	if n < 0 {
		f.add(path, "must not be negative, is %d", n)
	} else if most > 0 && n > most {
		f.add(path, "must not be more than %d, is %d", most, n)
	}
}

// share wants x in (0, 1], or 0 for the default.
func (f *faults) share(path string, x float64) {
	if !(x >= 0 && x <= 1) {
		f.add(path, "must be more than 0 and at most 1, is %v", x)
	}
}

// factor wants x in [least, 10], or 0 for the default.
func (f *faults) factor(path string, x, least float64) {
	if x != 0 && !(x >= least && x <= 10) {
		f.add(path, "must be from %v to 10, is %v", least, x)
	}
}

// needs says that a field has no meaning without another.
func (f *faults) needs(path string, set bool, other string, otherSet bool) {
	if set && !otherSet {
		f.add(path, "has no effect without %s", other)
	}
}

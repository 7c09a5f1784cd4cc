package breaker

import "time"

// Config says when a breaker opens, how it finds out that it may close, and how
// it closes. It is plain data: the same struct is a literal in Go and a section
// of a policy file. A field that is zero has the default its comment gives.
type Config struct {
	// Window is the sliding stretch of time whose calls are judged. It is kept in
	// ten buckets, so it covers between nine tenths of this time and all of it.
	// Default 10s; at least 1ms. It should hold min_calls calls at the lowest rate
	// at which the breaker is to work.
	Window time.Duration `yaml:"window"`

	// Calls judges the last so many calls, whenever they were, instead of a
	// Window. Default 0, by time; at most 1000000.
	Calls int `yaml:"calls"`

	// MinCalls is the number of calls below which neither ratio is judged, so that
	// two failures at night do not open the breaker. Default 20, or Calls if that
	// is less.
	MinCalls int `yaml:"min_calls"`

	// FailureRatio opens the breaker when at least this share of the calls
	// failed. Default 0.5; range (0, 1].
	FailureRatio float64 `yaml:"failure_ratio"`

	// SlowCall is the time beyond which a call is slow, whatever its outcome; a
	// slow probe is a failed one. Default 0, no call is slow.
	SlowCall time.Duration `yaml:"slow_call"`

	// SlowRatio opens the breaker when at least this share of the calls was slow.
	// Default 1; range (0, 1]. It needs SlowCall.
	SlowRatio float64 `yaml:"slow_ratio"`

	// Consecutive opens the breaker after this many failures without a success in
	// between, whatever the window and MinCalls say. Default 0, off.
	Consecutive int `yaml:"consecutive"`

	// ConsecutiveSpan lets Consecutive open only when its failures are spread over
	// at least this time: five in a row open at 50 calls a second (80ms) and are a
	// hiccup at 1000 (4ms). Twice as many open in any time: of calls of which a
	// third fails that is one in a hundred thousand. Default 0, at once.
	ConsecutiveSpan time.Duration `yaml:"consecutive_span"`

	// Cooldown is how long the breaker stays open before it is half-open.
	// Default 5s.
	Cooldown time.Duration `yaml:"cooldown"`

	// CooldownFactor multiplies the cooldown at each reopening, that is when
	// half-open or on the ramp. Default 1; range [0.1, 10]. A cooldown does not
	// shrink below a hundredth of Cooldown.
	CooldownFactor float64 `yaml:"cooldown_factor"`

	// CooldownMax bounds the growth, before jitter. Default ten times Cooldown; not less than
	// Cooldown.
	CooldownMax time.Duration `yaml:"cooldown_max"`

	// CooldownJitter spreads the cooldowns of many instances: each is multiplied by
	// a random number in [1-jitter, 1+jitter]. Default 0, none; range [0, 1).
	CooldownJitter float64 `yaml:"cooldown_jitter"`

	// Probes is the most probes in flight at once while half-open. Default 3; at
	// most 1000.
	Probes int `yaml:"probes"`

	// ProbeSuccesses is how many probes must succeed to close the breaker. One
	// failure reopens it. Default 1.
	ProbeSuccesses int `yaml:"probe_successes"`

	// ProbeLease is how long a probe may go without a report. Then its place is
	// given to another, and it counts as failed. Default 30s; it should be longer
	// than a call's timeout.
	ProbeLease time.Duration `yaml:"probe_lease"`

	// Trickle sends single probes while the breaker is open. Default none.
	Trickle Trickle `yaml:"trickle"`

	// Ramp is the time after closing over which the share of admitted calls grows
	// evenly from RampFrom to all. Default 0, all at once.
	Ramp time.Duration `yaml:"ramp"`

	// RampFrom is the share that is admitted at first. Default 0.1; range (0, 1].
	// It needs Ramp.
	RampFrom float64 `yaml:"ramp_from"`

	// Counts says what one call is where calls are retried. Default attempts. The
	// package itself does not read it: what it is told of is a call.
	Counts Counts `yaml:"counts"`

	// Dark decides and reports but refuses nothing, to try a breaker before it is
	// trusted. Default false.
	Dark bool `yaml:"dark"`
}

// A Trickle finds a recovery before the cooldown is over. A probe of it that
// succeeds closes the breaker (or, if ProbeSuccesses asks for more, makes it
// half-open with that one counted); one that fails changes nothing.
type Trickle struct {
	// First is the time from the opening to the first probe. Default 0, no trickle.
	First time.Duration `yaml:"first"`

	// Factor multiplies the distance to the next probe each time one is sent.
	// Default 2; range [1, 10].
	Factor float64 `yaml:"factor"`

	// Max bounds the distance. Default 0, unbounded; not less than First.
	Max time.Duration `yaml:"max"`

	// Overlap is the most probes in flight at once. Default 1; at most 1000. More
	// than one helps where a probe that was sent just before the recovery is lost
	// for its whole timeout.
	Overlap int `yaml:"overlap"`
}

// Counts is what a breaker is told of.
type Counts string

const (
	CountsAttempts Counts = "attempts" // every attempt of a call
	CountsCall     Counts = "call"     // the call as a whole, after its retries
)

// Enabled tells whether any field is set. In a larger configuration the zero
// Config means no breaker.
func (c Config) Enabled() bool { return c != Config{} }

func (c Config) withDefaults() Config {
	if c.Calls == 0 {
		standard(&c.Window, 10*time.Second)
		standard(&c.MinCalls, 20)
	}
	standard(&c.MinCalls, min(20, c.Calls))
	standard(&c.FailureRatio, 0.5)
	standard(&c.SlowRatio, 1)
	standard(&c.Cooldown, 5*time.Second)
	standard(&c.CooldownFactor, 1)
	standard(&c.CooldownMax, tenfold(c.Cooldown))
	standard(&c.Probes, 3)
	standard(&c.ProbeSuccesses, 1)
	standard(&c.ProbeLease, 30*time.Second)
	standard(&c.RampFrom, 0.1)
	standard(&c.Counts, CountsAttempts)
	if t := &c.Trickle; t.First > 0 {
		standard(&t.Factor, 2)
		standard(&t.Max, time.Duration(1<<63-1))
		standard(&t.Overlap, 1)
	}
	return c
}

// standard gives a field its default.
func standard[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func tenfold(d time.Duration) time.Duration {
	return time.Duration(saturate(10 * float64(d)))
}

package quota

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Config describes a quota. The zero value limits nothing.
type Config struct {
	// Mode says who decides: embedded, central or leased. Default embedded.
	Mode Mode `yaml:"mode"`
	// Rate is the cost that all instances together admit per Window, for each key.
	// 0, the default, is off: everything is admitted. Range 1e-9 to 1e12.
	Rate float64 `yaml:"rate"`
	// Window is the time that Rate is for. Default 1s. Range 1ms to 8784h.
	Window time.Duration `yaml:"window"`
	// Burst is the cost that a key at rest admits at once. Default what Rate says,
	// at least 1. Range 1e-9 to 1e12. With leased a Burst that is less than a
	// second's worth of the quota costs round trips, see Period.
	Burst float64 `yaml:"burst"`
	// Keys is the most keys that this instance keeps a state for. More than that
	// are still limited: embedded they share one bucket, leased they are asked for
	// one by one. Default 100000. Range to 100000000.
	Keys int `yaml:"keys"`

	// Timeout is the longest wait for the store. Default 50ms. Range 1ms to 10s.
	Timeout time.Duration `yaml:"timeout"`
	// OnFailure says what is done without an answer from the store: local, open or
	// closed. Default local with Instances, else open.
	OnFailure OnFailure `yaml:"on_failure"`
	// Instances is how many instances share the quota: without the store each has
	// 1/Instances of Rate and Burst for itself. Needed for local. Range to 1000000.
	Instances int `yaml:"instances"`
	// Remember is how long the store knows the ID of a request, so that one sent
	// again is not charged again. Default 5s. Range 1s to 1h. The store keeps an
	// entry for every request that was admitted meanwhile, leased for every slice.
	Remember time.Duration `yaml:"remember"`

	// Period is how long a slice is meant to last, and the least time between two
	// requests to the store for a key while the quota runs out. Default 250ms,
	// range 10ms to 1m, and in effect never more than a quarter of the time in
	// which Burst flows in, so that nothing spills meanwhile. Leased only.
	Period time.Duration `yaml:"period"`
	// MaxSlice is the most that one instance holds unspent for a key, and so the
	// bound of the error. Default a quarter of Burst, at least 1. Range 1e-9 to
	// Burst. Leased only.
	MaxSlice float64 `yaml:"max_slice"`
	// Term is how long a slice may be spent; after that it is only given back. So
	// it is how long an instance that is cut off goes on as before. Default 2s.
	// Range Period to 1h. Leased only.
	Term time.Duration `yaml:"term"`
}

// Mode says who decides. Empty means [ModeEmbedded].
type Mode string

const (
	ModeEmbedded Mode = "embedded" // each instance for itself, see [Embedded]
	ModeCentral  Mode = "central"  // the store, every time, see [Central]
	ModeLeased   Mode = "leased"   // the instance, from a slice, see [Leased]
)

// OnFailure says what is done without an answer from the store.
type OnFailure string

const (
	// FailLocal admits what a bucket of this instance allows that has 1/Instances
	// of Rate and Burst, of Burst at least 1.
	FailLocal OnFailure = "local"
	// FailOpen admits everything.
	FailOpen OnFailure = "open"
	// FailClosed refuses everything.
	FailClosed OnFailure = "closed"
)

const (
	minRate, maxRate = 1e-9, 1e12
	maxKeys          = 100_000_000
	maxInstances     = 1_000_000
)

// Validate returns every fault of the configuration, joined, each beginning with
// the name of the field.
func (c Config) Validate() error {
	var f faults
	f.oneOf("mode", string(c.Mode), c.Mode.Values())
	f.number("rate", c.Rate, maxRate)
	f.duration("window", c.Window, time.Millisecond, 366*24*time.Hour)
	f.number("burst", c.Burst, maxRate)
	f.count("keys", c.Keys, maxKeys)
	f.duration("timeout", c.Timeout, time.Millisecond, 10*time.Second)
	f.oneOf("on_failure", string(c.OnFailure), c.OnFailure.Values())
	f.count("instances", c.Instances, maxInstances)
	if c.OnFailure == FailLocal && c.Instances == 0 {
		f.add("instances: must be positive with on_failure local, is 0")
	}
	f.duration("remember", c.Remember, time.Second, time.Hour)
	f.duration("period", c.Period, 10*time.Millisecond, time.Minute)
	f.number("max_slice", c.MaxSlice, maxRate)
	f.duration("term", c.Term, 10*time.Millisecond, time.Hour)
	if len(f) > 0 {
		return errors.Join(f...)
	}
	e := c.Effective()
	if c.Rate != 0 && c.MaxSlice > e.Burst {
		f.add("max_slice: must be at most burst (%v), is %v", e.Burst, c.MaxSlice)
	}
	if period := cmp.Or(c.Period, defaultPeriod); c.Term != 0 && c.Term < period {
		f.add("term: must not be less than period (%v), is %v", period, c.Term)
	}
	if c.Rate != 0 {
		f.unused(c)
	}
	return errors.Join(f...)
}

// faults gathers what is wrong.
type faults []error

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Errorf(format, args...)) }

func (f *faults) oneOf(field, value string, values []string) {
	if value != "" && !slices.Contains(values, value) {
		f.add("%s: must be %s, is %q", field, strings.Join(values, ", "), value)
	}
}

func (f *faults) number(field string, x, most float64) {
	if x != 0 && !(x >= minRate && x <= most) { // so for NaN too
		f.add("%s: must be 0, for the default, or between %v and %v, is %v", field, minRate, most, x)
	}
}

func (f *faults) duration(field string, d, least, most time.Duration) {
	if d != 0 && (d < least || d > most) {
		f.add("%s: must be between %v and %v, is %v", field, least, most, d)
	}
}

func (f *faults) count(field string, n, most int) {
	if n < 0 || n > most {
		f.add("%s: must be between 0 and %d, is %d", field, most, n)
	}
}

// unused finds what is set and has no effect in the mode.
func (f *faults) unused(c Config) {
	embedded, leased := c.Mode == "" || c.Mode == ModeEmbedded, c.Mode == ModeLeased
	for _, x := range []struct {
		field string
		set   bool
		use   bool
	}{
		{"timeout", c.Timeout != 0, !embedded},
		{"on_failure", c.OnFailure != "", !embedded},
		{"instances", c.Instances != 0, !embedded && (c.OnFailure == "" || c.OnFailure == FailLocal)},
		{"remember", c.Remember != 0, !embedded},
		{"period", c.Period != 0, leased},
		{"max_slice", c.MaxSlice != 0, leased},
		{"term", c.Term != 0, leased},
	} {
		if x.set && !x.use {
			f.add("%s: has no effect here (mode %s)", x.field, cmp.Or(c.Mode, ModeEmbedded))
		}
	}
}

package ratelimit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Config describes a limiter. The zero value limits nothing.
//
// Costs are rounded up to a unit. For windows it is a millionth. For buckets it
// is the power of ten that takes between 1 and 10 ns to refill, or a longer time
// for a burst that takes months: costs that are whole numbers are exact up to a thousand
// million a second. Tokens may be there earlier than they should by one unit, in
// all and not each time.
type Config struct {
	// Algorithm names the limiter. Default token_bucket.
	Algorithm Algorithm `yaml:"algorithm"`
	// Rate is the cost admitted per Window. 0, the default, is off: everything
	// is admitted. Range 1e-9 to 1e12; at most 1e9 for a sliding counter, and
	// 1048576 for a sliding log, which keeps an entry of 16 bytes for each.
	Rate float64 `yaml:"rate"`
	// Window is the time that Rate is for. Default 1s. Range 1ms to 8784h.
	Window time.Duration `yaml:"window"`
	// Burst is the cost that a limiter at rest admits at once. Default, at least
	// 1: what Rate says for a token bucket, 1 for a leaky meter. The others
	// admit at most Rate at once, and take no Burst. Range to 1e12.
	Burst float64 `yaml:"burst"`
	// Queue is the most calls that wait for their turn in a leaky shaper.
	// Default 0: none waits. Range 0 to 1048576.
	Queue int `yaml:"queue"`
	// MaxWait is the longest wait for a turn, in a leaky shaper or for tokens of
	// a token bucket. Default 0: no wait. Positive with Queue. Range to 24h.
	MaxWait time.Duration `yaml:"max_wait"`
}

// Algorithm names a limiter. Empty means [TokenBucket].
type Algorithm string

const (
	// TokenBucket is a [Bucket].
	TokenBucket Algorithm = "token_bucket"
	// LeakyMeter is a [Meter].
	LeakyMeter Algorithm = "leaky_meter"
	// LeakyShaper is a [Shaper].
	LeakyShaper Algorithm = "leaky_shaper"
	// SlidingLog is a [Log].
	SlidingLog Algorithm = "sliding_log"
	// SlidingCounter is a [Counter].
	SlidingCounter Algorithm = "sliding_counter"
)

const (
	minRate, maxRate = 1e-9, 1e12
	maxEntries       = 1 << 20 // of a log, and of a queue
	maxCount         = 1e9     // of a counter: its millionths are still exact
	minWindow        = time.Millisecond
	maxWindow        = 366 * 24 * time.Hour
	longestWait      = 24 * time.Hour
)

// Validate returns every fault of the configuration, joined, each beginning with
// the name of the field.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf(format, args...))
	}
	algorithm := cmp.Or(c.Algorithm, TokenBucket)
	known := slices.Contains(algorithm.Values(), string(algorithm))
	if !known {
		fault("algorithm: must be %s, is %q", strings.Join(algorithm.Values(), ", "), c.Algorithm)
	}
	faults = append(faults, validRate(c.Rate), validWindow(c.Window), validBurst(c.Burst))
	switch {
	case algorithm == SlidingLog && c.Rate > maxEntries && c.Rate <= maxRate:
		fault("rate: must be at most %d with %s, which remembers each, is %v", maxEntries, algorithm, c.Rate)
	case algorithm == SlidingCounter && c.Rate > maxCount && c.Rate <= maxRate:
		fault("rate: must be at most %v with %s, is %v", maxCount, algorithm, c.Rate)
	}
	if known && c.Burst != 0 && algorithm != TokenBucket && algorithm != LeakyMeter {
		fault("burst: has no effect with %s", algorithm)
	}
	switch {
	case c.Queue < 0 || c.Queue > maxEntries:
		fault("queue: must be between 0 and %d, is %d", maxEntries, c.Queue)
	case known && c.Queue > 0 && algorithm != LeakyShaper:
		fault("queue: has no effect with %s", algorithm)
	case c.Queue > 0 && c.MaxWait == 0:
		fault("max_wait: must be positive with a queue, is 0s")
	}
	switch {
	case c.MaxWait < 0:
		fault("max_wait: must not be negative, is %v", c.MaxWait)
	case c.MaxWait > longestWait:
		fault("max_wait: must be at most %v, is %v", longestWait, c.MaxWait)
	case known && c.MaxWait > 0 && algorithm != TokenBucket && algorithm != LeakyShaper:
		fault("max_wait: has no effect with %s", algorithm)
	case c.MaxWait > 0 && algorithm == LeakyShaper && c.Queue == 0:
		fault("max_wait: has no effect with %s without a queue", algorithm)
	}
	return errors.Join(faults...)
}

// The conditions are negated so that they hold for NaN too.

func validRate(rate float64) error {
	if rate != 0 && !(rate >= minRate && rate <= maxRate) {
		return fmt.Errorf("rate: must be 0, which is off, or between %v and %v, is %v", minRate, maxRate, rate)
	}
	return nil
}

func validWindow(window time.Duration) error {
	if window != 0 && (window < minWindow || window > maxWindow) {
		return fmt.Errorf("window: must be between %v and %v, is %v", minWindow, maxWindow, window)
	}
	return nil
}

func validBurst(burst float64) error {
	if burst != 0 && !(burst >= minRate && burst <= maxRate) {
		return fmt.Errorf("burst: must be between %v and %v, is %v", minRate, maxRate, burst)
	}
	return nil
}

// as returns c for one algorithm, complete, or its faults.
func (c Config) as(a Algorithm) (Config, error) {
	if c.Algorithm == "" {
		c.Algorithm = a
	}
	if err := c.Validate(); err != nil {
		return c, err
	}
	if c.Algorithm != a {
		return c, fmt.Errorf("algorithm: must be %s here, is %s", a, c.Algorithm)
	}
	return c.Effective(), nil
}

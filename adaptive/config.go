package adaptive

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Config describes a [Limiter]. The zero value is the gradient with its
// defaults, which suit calls of milliseconds to seconds.
type Config struct {
	// Algorithm names the estimator: gradient (the default), vegas or aimd.
	Algorithm Algorithm `yaml:"algorithm"`
	// Initial is the limit at the start. Default 20, or what Min and Max leave
	// of it. Range Min to Max.
	Initial int `yaml:"initial"`
	// Min is the floor: so many calls are always admitted, and it is they that
	// see a recovery. Keep it low: a floor above what a sick dependency can take
	// keeps it sick. Default 2, or Max. Range 1 to Max.
	Min int `yaml:"min"`
	// Max is the ceiling. Default 1000, or Min if that is more. Range 1 to 1000000.
	Max int `yaml:"max"`
	// Window is the least time over which calls are judged. A window also lasts
	// as long as a call takes on average, and until 50 calls have ended, or 10 have failed.
	// Default 500ms. Range 1ms to 1m.
	Window time.Duration `yaml:"window"`
	// Tolerance is how many times the latency without a queue the gradient lets
	// calls take. The limit settles at so many times the capacity. Default 1.2.
	// Range 1.05 to 1.5: above, a probe would no longer empty the queue.
	Tolerance float64 `yaml:"tolerance"`
	// LossTolerance is the share of failed calls in a window that is not taken as
	// a sign of overload: the errors that there always are. Default 0.05.
	// Range above 0 to 0.5.
	LossTolerance float64 `yaml:"loss_tolerance"`
	// ProbeEvery is how long the latency without a queue is trusted while the
	// limit is in use. AIMD does not need it. Default 1m. Range 1s to 1h.
	ProbeEvery time.Duration `yaml:"probe_every"`
}

// Algorithm names an estimator. Empty means [Gradient].
type Algorithm string

const (
	// Gradient sets the limit so that calls take Tolerance times as long as
	// without a queue. It finds the capacity in a few windows.
	Gradient Algorithm = "gradient"
	// Vegas keeps a few calls in the queue, 3 to 6 times the decimal logarithm
	// of the limit, by small steps. It is the calmer one where latency is noisy
	// (Brakmo, O'Malley and Peterson, TCP Vegas, SIGCOMM 1994; the figures are
	// those of Netflix's concurrency-limits).
	Vegas Algorithm = "vegas"
	// AIMD adds one a window and looks at losses only. It is for dependencies
	// that refuse or time out when they have too much, and whose latency says
	// nothing.
	AIMD Algorithm = "aimd"
)

const (
	highestMax = 1_000_000
	minCalls   = 50 // of a window
	minLost    = 10 // of one that need not have so many
)

// Validate returns every fault of the configuration, joined, each beginning with
// the name of the field.
func (c Config) Validate() error {
	var faults []error
	fault := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf(format, args...))
	}
	if c.Algorithm != "" && !slices.Contains(c.Algorithm.Values(), string(c.Algorithm)) {
		fault("algorithm: must be %s, is %q", strings.Join(c.Algorithm.Values(), ", "), c.Algorithm)
	}
	e := c.Effective()
	if e.Min < 1 || e.Min > highestMax {
		fault("min: must be between 1 and %d, is %d", highestMax, c.Min)
	}
	if e.Max < 1 || e.Max > highestMax {
		fault("max: must be between 1 and %d, is %d", highestMax, c.Max)
	}
	if e.Min > e.Max {
		fault("min: must be at most max, which is %d, is %d", e.Max, e.Min)
	} else if e.Initial < e.Min || e.Initial > e.Max {
		fault("initial: must be between %d and %d, which are min and max, is %d", e.Min, e.Max, e.Initial)
	}
	if e.Window < time.Millisecond || e.Window > time.Minute {
		fault("window: must be between 1ms and 1m, is %v", c.Window)
	}
	// The conditions are negated so that they hold for NaN too.
	if !(e.Tolerance >= 1.05 && e.Tolerance <= 1.5) {
		fault("tolerance: must be between 1.05 and 1.5, is %v", c.Tolerance)
	}
	if !(e.LossTolerance > 0 && e.LossTolerance <= 0.5) {
		fault("loss_tolerance: must be above 0 and at most 0.5, is %v", c.LossTolerance)
	}
	if e.ProbeEvery < time.Second || e.ProbeEvery > time.Hour {
		fault("probe_every: must be between 1s and 1h, is %v", c.ProbeEvery)
	}
	return errors.Join(faults...)
}

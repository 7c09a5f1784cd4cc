package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// A Latency is a constant, or a distribution. In a file it is a duration
// ("30ms") or one of {min, max} (uniform), {mean} (exponential) and {p50, p99}
// (log-normal through these two quantiles).
type Latency struct {
	Constant time.Duration `yaml:"-"`
	// Min and Max are the ends of a uniform distribution.
	Min time.Duration `yaml:"min"`
	Max time.Duration `yaml:"max"`
	// Mean is that of an exponential distribution.
	Mean time.Duration `yaml:"mean"`
	// P50 and P99 are the median and the 99 % quantile of a log-normal
	// distribution; P99 is the larger one.
	P50 time.Duration `yaml:"p50"`
	P99 time.Duration `yaml:"p99"`
}

// normal99 is the 99 % quantile of the standard normal distribution.
const normal99 = 2.3263478740408408

// Draw returns one latency. A constant draws no random number.
func (l Latency) Draw(r *rand.Rand) time.Duration {
	switch {
	case l.Mean > 0:
		return saturated(r.ExpFloat64() * float64(l.Mean))
	case l.P50 > 0:
		sigma := math.Log(float64(l.P99)/float64(l.P50)) / normal99
		return saturated(float64(l.P50) * math.Exp(sigma*r.NormFloat64()))
	case l.Max > 0:
		return l.Min + time.Duration(r.Float64()*float64(l.Max-l.Min))
	}
	return l.Constant
}

// saturated converts nanoseconds, which may be more than a Duration holds.
func saturated(ns float64) time.Duration {
	if ns < math.MaxInt64 {
		return time.Duration(ns)
	}
	return math.MaxInt64
}

// Validate reports impossible and mixed distributions.
func (l Latency) Validate() error {
	forms := 0
	for _, used := range []bool{l.Constant != 0, l.Min != 0 || l.Max != 0, l.Mean != 0, l.P50 != 0 || l.P99 != 0} {
		if used {
			forms++
		}
	}
	switch {
	case forms > 1:
		return fmt.Errorf("mean: choose one of a duration, {min, max}, {mean} and {p50, p99}")
	case l.Constant < 0 || l.Min < 0 || l.Mean < 0 || l.P50 < 0:
		return fmt.Errorf("min: a latency must not be negative")
	case l.Max < l.Min:
		return fmt.Errorf("max: must not be below min (%v), is %v", l.Min, l.Max)
	case l.P50 > 0 && l.P99 <= l.P50, l.P50 == 0 && l.P99 != 0:
		return fmt.Errorf("p99: must be above p50 (%v), is %v", l.P50, l.P99)
	}
	return nil
}

func (l Latency) String() string {
	switch {
	case l.Mean > 0:
		return fmt.Sprintf("exponential, mean %v", l.Mean)
	case l.P50 > 0:
		return fmt.Sprintf("log-normal, p50 %v, p99 %v", l.P50, l.P99)
	case l.Max > 0:
		return fmt.Sprintf("%v to %v", l.Min, l.Max)
	}
	return l.Constant.String()
}

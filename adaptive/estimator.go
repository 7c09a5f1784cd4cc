package adaptive

import "math"

// An estimator says which limit would have fitted to a window without losses,
// given its latency and the latency without a queue. It is pure: whether the
// limit was in use, and what losses mean, is decided elsewhere.
type estimator interface {
	next(limit, latency, base float64) float64
}

func (c Config) estimator() estimator {
	switch c.Algorithm {
	case Vegas:
		return vegas{}
	case AIMD:
		return aimd{}
	default:
		return gradient{c.Tolerance}
	}
}

// gradient corrects the limit by how much longer calls take than they may. A
// queue makes them take longer in proportion to the limit, so one step is enough.
// One more is let in, so that a single worker that is done finds a call waiting.
type gradient struct{ tolerance float64 }

func (g gradient) next(limit, latency, base float64) float64 {
	return limit*min(g.tolerance*base/latency, g.tolerance) + 1
}

// vegas estimates how many of the calls are in the queue.
type vegas struct{}

func (vegas) next(limit, latency, base float64) float64 {
	step := math.Max(1, math.Log10(limit))
	switch queue := limit * (1 - base/latency); {
	case queue <= step:
		return limit + 6*step
	case queue < 3*step:
		return limit + step
	case queue > 6*step:
		return limit - step
	}
	return limit
}

// aimd only ever adds; it is losses that take away.
type aimd struct{}

func (aimd) next(limit, _, _ float64) float64 { return limit + 1 }

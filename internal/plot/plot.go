// Package plot draws figures over time: as blocks for a terminal, and as SVG
// for a page. It knows nothing of what the figures mean.
package plot

import (
	"math"
	"strconv"
	"time"
)

// A Span is a half-open stretch of time.
type Span struct{ From, To time.Duration }

// Resample spreads the values of equal steps over n equal columns, each of
// which gets what falls into it; the sum stays the same.
func Resample(values []float64, n int) []float64 {
	out := make([]float64, n)
	perColumn := float64(len(values)) / float64(n)
	for i := range out {
		from, to := float64(i)*perColumn, float64(i+1)*perColumn
		for k := int(from); k < len(values) && float64(k) < to; k++ {
			share := min(to, float64(k+1)) - max(from, float64(k))
			out[i] += values[k] * share
		}
	}
	return out
}

// Peaks is Resample for levels: each column gets the highest that it touches.
func Peaks(values []float64, n int) []float64 {
	out := make([]float64, n)
	perColumn := float64(len(values)) / float64(n)
	for i := range out {
		from, to := float64(i)*perColumn, float64(i+1)*perColumn
		for k := int(from); k < len(values) && float64(k) < to; k++ {
			out[i] = max(out[i], values[k])
		}
	}
	return out
}

// Ticks returns round numbers from 0 to at most top, about n of them.
func Ticks(top float64, n int) []float64 {
	if !(top > 0) || math.IsInf(top, 1) {
		return []float64{0}
	}
	rough := top / float64(n)
	step := math.Pow(10, math.Floor(math.Log10(rough)))
	for _, f := range []float64{1, 2, 5, 10} {
		if f*step >= rough {
			step *= f
			break
		}
	}
	var out []float64
	for i := 0; float64(i)*step <= top*(1+1e-9); i++ {
		out = append(out, float64(i)*step)
	}
	return out
}

// LogTicks returns the powers of ten from low, which is above 0, to high.
func LogTicks(low, high float64) []float64 {
	var out []float64
	if !(low > 0) || math.IsInf(high, 1) {
		return nil
	}
	for e := math.Ceil(math.Log10(low) - 1e-9); math.Pow(10, e) <= high*(1+1e-9); e++ {
		out = append(out, math.Pow(10, e))
	}
	return out
}

// TimeTicks returns round instants from 0 to at most end, at most n+1 of them.
func TimeTicks(end time.Duration, n int) []time.Duration {
	steps := []time.Duration{
		time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
		10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
		100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
		time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second,
		time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute,
		time.Hour, 2 * time.Hour, 4 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	}
	step := 24 * time.Hour
	for _, s := range steps {
		if end/s <= time.Duration(n) {
			step = s
			break
		}
	}
	step = max(step, end/time.Duration(n))
	var out []time.Duration
	for at := time.Duration(0); at <= end; at += step {
		out = append(out, at)
	}
	return out
}

// Seconds writes an instant briefly: 0s, 1.5s, 2m, 1m30s.
func Seconds(d time.Duration) string {
	if d < time.Minute {
		return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + "s"
	}
	s := d.Round(time.Second).String()
	if d%time.Hour == 0 {
		return s[:len(s)-len("0m0s")]
	}
	if d%time.Minute == 0 {
		return s[:len(s)-len("0s")]
	}
	return s
}

// Number writes a figure of an axis briefly.
func Number(x float64) string {
	if x >= 10_000 {
		return strconv.FormatFloat(x/1000, 'g', 4, 64) + "k"
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

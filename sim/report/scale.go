package report

import (
	"math"
	"slices"
	"time"

	"github.com/stanch-go/stanch/internal/plot"
	"github.com/stanch-go/stanch/sim"
)

// An axis of rates ends here: at the highest, unless that is a rush beside which
// nothing else could be seen. A queue that empties at once is one, and so is a
// closed loop of clients that are refused at once.
const (
	usual     = 0.95 // this share of the rates of ok is usual
	rush      = 3    // so many times the highest of them is a rush
	aboveUsed = 1.2  // where the axis ends then
)

// scaleTop returns the rate at which the axis ends, and whether what is above
// is cut. rates are those of ok; highest is of all kinds.
func scaleTop(rates []float64, highest float64) (top float64, isCut bool) {
	positive := slices.DeleteFunc(slices.Clone(rates), func(x float64) bool { return !(x > 0) })
	if len(positive) == 0 {
		return highest, false
	}
	slices.Sort(positive)
	q := positive[int(usual*float64(len(positive)-1))]
	if highest > rush*q {
		return aboveUsed * q, true
	}
	return highest, false
}

// end is where the time axis that the variants share ends.
func end(variants []variant) time.Duration {
	var e time.Duration
	for _, v := range variants {
		e = max(e, v.end())
	}
	return e
}

// stretch brings values of a variant to n steps of an axis that may go on after
// the variant's end. What is missing is NaN.
func (v variant) stretch(values []float64, end time.Duration, n int, resample func([]float64, int) []float64) []float64 {
	own := int(math.Round(float64(n) * float64(v.end()) / float64(end)))
	out := resample(values, own)
	for len(out) < n {
		out = append(out, math.NaN())
	}
	return out
}

// means is plot.Resample for rates: a column has the mean of what falls into it.
func means(values []float64, n int) []float64 {
	out := plot.Resample(values, n)
	for i := range out {
		out[i] *= float64(n) / float64(len(values))
	}
	return out
}

// numbers turns counts into figures to draw.
func numbers(counts []int) []float64 {
	out := make([]float64, len(counts))
	for i, c := range counts {
		out[i] = float64(c)
	}
	return out
}

// highest returns the highest of the values, 0 when there are none.
func highest(values []float64) float64 {
	top := 0.0
	for _, x := range values {
		if x > top {
			top = x
		}
	}
	return top
}

// latencyAxis is logarithmic when the range is wide.
func latencyAxis(variants []variant) plot.Axis {
	low, high := math.Inf(1), 0.0
	for _, v := range variants {
		for _, values := range [][]float64{v.series().P50, v.series().P99} {
			for _, x := range values {
				if x > 0 {
					low, high = min(low, x), max(high, x)
				}
			}
		}
	}
	if high > 20*low {
		return plot.Axis{Log: true, Min: math.Pow(10, math.Floor(math.Log10(low))), Max: math.Pow(10, math.Ceil(math.Log10(high)))}
	}
	return plot.Axis{Max: high * 1.05}
}

func (v variant) series() *sim.Series {
	if v.Series == nil {
		return &sim.Series{}
	}
	return v.Series
}

// names returns the keys that some variant has, in order.
func names[T any](variants []variant, of func(variant) map[string]T) []string {
	var all []string
	for _, v := range variants {
		for name := range of(v) {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	slices.Sort(all)
	return all
}

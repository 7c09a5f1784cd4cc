package diff

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/lint"
)

// A Figure is one of the sums, before and after. Of a new dependency there is no
// Old.
type Figure struct {
	Name     string
	Unit     string // of Old and New, unless they say it
	Old, New string
	// Factor is the new by the old, such as "x0.1"; empty where one of them has
	// no end.
	Factor string
	Worse  bool

	weight float64 // how much it changes
}

// kinds are the figures in the order in which they matter.
var kinds = []struct {
	name, unit string
	value      func(lint.Sums) float64 // NaN: not known, or of no matter
	text       func(float64) string
	lessIsBad  bool
	repeats    func(lint.Sums) bool // it says what another figure does
}{
	{"served when it hangs", "requests/s", served, plain, true, nil},
	{"served when it hangs", "requests/s a worker", servedByWorker, plain, true, nil},
	{"longest call", "", func(s lint.Sums) float64 { return orNever(s.Time.WorstMs) }, span, false, nil},
	{"workers that it can hold", "", func(s lint.Sums) float64 {
		if s.Fault.Workers == 0 {
			return math.NaN()
		}
		return float64(s.Fault.Held)
	}, plain, false, nil},
	{"breaker opens after", "", func(s lint.Sums) float64 { return orNever(s.Fault.OpensAfterMs) }, span, false, nil},
	{"attempts of a call", "", func(s lint.Sums) float64 { return float64(s.Load.Attempts) }, plain, false, nil},
	{"calls for one in an outage", "", func(s lint.Sums) float64 { return s.Load.Bound }, func(x float64) string { return "x" + number(x, 3) }, false,
		func(s lint.Sums) bool { return s.Load.Bound == float64(s.Load.Attempts) }},
	{"tries with all layers", "", func(s lint.Sums) float64 { return float64(s.Load.Layers) }, plain, false,
		func(s lint.Sums) bool { return s.Load.Layers == int64(s.Load.Attempts) }},
}

// served is what the workers still serve, unless a bulkhead keeps some free.
func served(s lint.Sums) float64 {
	if s.Fault.PerS == nil || s.Fault.Held < s.Fault.Workers {
		return math.NaN()
	}
	return *s.Fault.PerS
}

// servedByWorker is the same where the workers are not known.
func servedByWorker(s lint.Sums) float64 {
	if s.Fault.PerS != nil {
		return math.NaN()
	}
	return s.Fault.PerWorkerPerS
}

// figuresOf are those of a new dependency.
func figuresOf(s lint.Sums) (figures []Figure) {
	for _, k := range kinds {
		if x := k.value(s); !math.IsNaN(x) && (k.repeats == nil || !k.repeats(s)) {
			figures = append(figures, Figure{Name: k.name, Unit: k.unit, New: k.text(x)})
		}
	}
	return figures
}

// changes are the figures that are not as they were.
func changes(before, after lint.Sums) (figures []Figure) {
	for _, k := range kinds {
		a, b := k.value(before), k.value(after)
		if a == b || math.IsNaN(a) || math.IsNaN(b) || k.repeats != nil && k.repeats(before) && k.repeats(after) {
			continue
		}
		f := Figure{Name: k.name, Unit: k.unit, Old: k.text(a), New: k.text(b), Worse: (b < a) == k.lessIsBad, weight: math.Inf(1)}
		if a > 0 && b > 0 && !math.IsInf(a/b, 0) && a/b > 0 {
			f.Factor, f.weight = "x"+number(b/a, 2), math.Abs(math.Log(b/a))
		}
		figures = append(figures, f)
	}
	return figures
}

// Worst is the figure that changes most for the worse, or, if none does, most
// for the better. ok is false when no figure changes.
func (d *Diff) Worst() (dependency string, worst Figure, ok bool) {
	for _, dep := range d.Dependencies {
		if dep.New {
			continue
		}
		for _, f := range dep.Figures {
			if !ok || f.Worse && !worst.Worse || f.Worse == worst.Worse && f.weight > worst.weight+1e-3 {
				dependency, worst, ok = dep.Name, f, true
			}
		}
	}
	return dependency, worst, ok
}

func orNever(x *float64) float64 {
	if x == nil {
		return math.Inf(1)
	}
	return *x
}

func plain(x float64) string { return number(x, 2) }

// number has so many digits that matter after a decimal point, and whole numbers
// in full.
func number(x float64, digits int) string {
	decimals := digits
	for p := 1.0; p <= math.Abs(x) && decimals > 0; p *= 10 {
		decimals--
	}
	if math.Abs(x) < 100 && math.Abs(x) >= 1 {
		decimals = max(decimals, 1)
	}
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// span is a time in milliseconds.
func span(ms float64) string {
	if math.IsInf(ms, 1) || ms > float64(math.MaxInt64)/float64(time.Millisecond) {
		return "never"
	}
	d := time.Duration(ms * float64(time.Millisecond))
	if d >= time.Second {
		d = d.Round(10 * time.Millisecond)
	}
	return strict.Duration(d)
}

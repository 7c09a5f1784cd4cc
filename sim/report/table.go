package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stanch-go/stanch/sim"
)

// A table is the figures with the variants side by side.
type table struct {
	Variants  []string
	Groups    []group
	Published bool // whether a cell has a published figure
}

// A group is the rows about one thing.
type group struct {
	Name string
	Rows []row
}

type row struct {
	Label, Unit, Path string
	Cells             []cell
}

// A cell has a variant's figure, and beside it the one that was published for
// it. What is not known is empty.
type cell struct{ Ours, Published string }

// String is the cell as the legend explains it.
func (c cell) String() string {
	if c.Published == "" {
		return c.Ours
	}
	return c.Ours + " (" + c.Published + ")"
}

// A line says which figure a row shows.
type line struct {
	path, label, unit string
	write             func(float64) string
	always            bool // shown although it is zero everywhere
}

// newTable picks the rows that tell something: those that some variant has, and
// that are not zero in all of them.
func newTable(p Played) table {
	variants := p.variants()
	t := table{}
	for _, v := range variants {
		t.Variants = append(t.Variants, v.Name)
	}
	seen := map[string]bool{}
	for _, g := range groups(variants) {
		var rows []row
		for _, l := range g.lines {
			seen[l.path] = true
			if r, ok := newRow(p.Result, l); ok {
				rows = append(rows, r)
			}
		}
		if len(rows) > 0 {
			t.Groups = append(t.Groups, group{g.name, rows})
		}
	}
	// Whatever else was published is shown as well.
	var others []row
	for _, v := range variants {
		for _, path := range sortedKeys(v.Published) {
			if !seen[path] {
				seen[path] = true
				if r, ok := newRow(p.Result, line{path: path, label: path, write: number, always: true}); ok {
					others = append(others, r)
				}
			}
		}
	}
	if len(others) > 0 {
		t.Groups = append(t.Groups, group{"also published", others})
	}
	for _, v := range variants {
		t.Published = t.Published || len(v.Published) > 0
	}
	return t
}

func newRow(r *sim.Result, l line) (row, bool) {
	out := row{Label: l.label, Unit: l.unit, Path: l.path}
	show := false
	for i := range r.Variants {
		v := &r.Variants[i]
		var c cell
		if x, err := r.Figure(v.Name, l.path); err == nil {
			c.Ours = l.write(x)
			show = show || l.always || x != 0
		}
		if x, ok := v.Published[l.path]; ok {
			c.Published = l.write(x)
			show = show || x != 0
		}
		out.Cells = append(out.Cells, c)
	}
	return out, show
}

type lines struct {
	name  string
	lines []line
}

// groups lists all rows that the variants may have.
func groups(variants []variant) []lines {
	reasons, dependencies, classes := map[string]bool{}, map[string]bool{}, map[string]bool{}
	windows := false
	for _, v := range variants {
		for reason := range v.Metrics.Refused {
			reasons[reason] = true
		}
		for name := range v.Dependencies {
			dependencies[name] = true
		}
		for name := range v.Classes {
			classes[name] = true
		}
		windows = windows || v.model.Windows != sim.Windows{}
	}
	refused := sortedKeys(reasons)
	whole := append(requestLines("", refused), wholeLines...)
	inbound := inboundLines(variants)
	if len(inbound) > 0 {
		whole = append(whole, servedLines...)
	}
	out := append([]lines{{"all requests", whole}}, inbound...)
	for _, name := range sortedKeys(dependencies) {
		out = append(out, lines{"dependency " + name, dependencyLines("dependencies."+name+".", windows)})
	}
	if len(classes) > 1 {
		for _, name := range sortedKeys(classes) {
			out = append(out, lines{"load " + name, requestLines("classes."+name+".", refused)})
		}
	}
	return out
}

func requestLines(at string, refused []string) []line {
	out := []line{
		{at + "requests", "requests", "", number, true},
		{at + "ok", "ok", "", number, false},
		{at + "degraded", "degraded", "", number, false},
		{at + "failed", "failed", "", number, false},
	}
	for _, reason := range refused {
		out = append(out, line{at + "refused." + reason, "refused, " + strings.ReplaceAll(reason, "_", " "), "", number, false})
	}
	return append(out, []line{
		{at + "hung", "hung", "", number, false},
		{at + "throughput_per_s", "throughput", "/s", number, true},
		{at + "success_ratio", "success", "%", percent, true},
		{at + "latency_ms.p50", "latency p50", "ms", number, false},
		{at + "latency_ms.p95", "latency p95", "ms", number, false},
		{at + "latency_ms.p99", "latency p99", "ms", number, false},
		{at + "latency_ms.max", "latency max", "ms", number, false},
	}...)
}

// wholeLines are figures of a variant that its loads do not have one by one.
var wholeLines = []line{
	{"fault_latency_ms.p50", "fault latency p50", "ms", number, false},
	{"fault_latency_ms.p99", "fault latency p99", "ms", number, false},
	{"fault_latency_ms.max", "fault latency max", "ms", number, false},
	{"first_success_after_recovery_ms", "recovery, first ok", "ms", orNever, true},
	{"full_rate_after_recovery_ms", "recovery, full rate", "ms", orNever, true},
	{"orphaned", "orphaned", "", number, false},
	{"amplification", "amplification", "", times, true},
}

// servedLines are of interest where much is refused.
var servedLines = []line{
	{"goodput_per_s", "goodput", "/s", number, false},
	{"ok_latency_ms.p50", "ok latency p50", "ms", number, false},
	{"ok_latency_ms.p99", "ok latency p99", "ms", number, false},
}

func dependencyLines(at string, windows bool) []line {
	out := []line{
		{at + "calls", "calls", "", number, true},
		{at + "calls_during_fault", "calls in the fault", "", number, false},
		{at + "peak_in_flight", "peak in flight", "", number, false},
	}
	if windows {
		out = append(out, []line{
			{at + "windows.peak_per_s", "windows peak", "/s", number, false},
			{at + "windows.mean_per_s", "windows mean", "/s", number, false},
			{at + "windows.peak_to_mean", "peak / mean", "", number, false},
			{at + "windows.cv", "variation (cv)", "", number, false},
		}...)
	}
	return out
}

// number writes counts in full and other figures with as many digits as matter.
func number(x float64) string {
	switch a := math.Abs(x); {
	case x == math.Trunc(x) && a < 1e15:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case a < 0.01:
		return strconv.FormatFloat(x, 'g', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

func percent(x float64) string { return fmt.Sprintf("%.1f", 100*x) }

func times(x float64) string { return fmt.Sprintf("x%.2f", x) }

func orNever(x float64) string {
	if x < 0 {
		return "never"
	}
	return number(x)
}

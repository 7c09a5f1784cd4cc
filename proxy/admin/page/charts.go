package page

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/stanch-go/stanch/internal/plot"
	"github.com/stanch-go/stanch/proxy/admin/history"
)

// A chart is one picture with what is said below it.
type chart struct {
	ID, Title string
	Legend    []legend
	Note      string
	SVG       template.HTML
}

type legend struct{ Class, Name string }

// charts draws the charts of a dependency. There are always the same ones, so
// that the page can be brought up to date in place.
func charts(id string, breaker bool, s history.Series) []chart {
	b := builder{id, s}
	all := []chart{b.answers(), b.refused(), b.latency(), b.inFlight()}
	if breaker {
		all = append(all, b.states())
	}
	return all
}

type builder struct {
	id string
	history.Series
}

func (b builder) chart(kind, title, note string, legend []legend, p plot.Chart) chart {
	p.ID = b.id + "-" + kind + "-chart"
	p.Title, p.Desc, p.End, p.Ago = title, note, b.Span, true
	for _, f := range b.Faults {
		p.Shaded = append(p.Shaded, plot.Mark{Span: plot.Span{From: f.From, To: f.To}, Class: "fault", Name: "fault"})
	}
	return chart{ID: b.id + "-" + kind, Title: title, Legend: legend, Note: note, SVG: template.HTML(p.SVG())}
}

// sourceClass is the class of each of history.Sources.
var sourceClass = map[string]string{"hidden": "hidden_part"} // hidden is that of what only screen readers tell

func (b builder) answers() chart {
	var shown []legend
	var areas []plot.Series
	var told []string
	all := total(b.Answers...)
	for i, source := range history.Sources {
		class := source
		if c := sourceClass[source]; c != "" {
			class = c
		}
		areas = append(areas, plot.Series{Class: class, Values: b.Answers[i]})
		if n := total(b.Answers[i]); n > 0 {
			shown = append(shown, legend{class, source})
			told = append(told, source+" "+percent(n/all))
		}
	}
	note := "No calls in " + plot.Seconds(b.Span) + "."
	if len(told) > 0 {
		note = strings.Join(told, ", ") + " in " + plot.Seconds(b.Span) + "."
	}
	return b.chart("answers", "Answers by source", note, shown, plot.Chart{Unit: "per s", Y: b.axis(b.Answers), Areas: areas})
}

func (b builder) refused() chart {
	var shown []legend
	var areas []plot.Series
	for i, reason := range history.Reasons {
		class := fmt.Sprint("r", i)
		areas = append(areas, plot.Series{Class: class, Values: b.Refused[i]})
		if total(b.Refused[i]) > 0 {
			shown = append(shown, legend{class, reason})
		}
	}
	note := "No attempt was refused in " + plot.Seconds(b.Span) + "."
	if len(shown) > 0 {
		note = fmt.Sprintf("At most %s a second.", figure(highest(stack(b.Refused))))
	}
	return b.chart("refused", "Attempts refused by reason", note, shown, plot.Chart{Unit: "per s", Y: b.axis(b.Refused), Areas: areas})
}

func (b builder) latency() chart {
	low, high := math.Inf(1), 0.0
	for _, x := range slices.Concat(b.P50, b.P99) {
		if x > 0 {
			low, high = min(low, x), max(high, x)
		}
	}
	axis, note := plot.Axis{Max: max(10, high*1.05)}, "No call made an attempt in "+plot.Seconds(b.Span)+"."
	if high > 20*low {
		axis = plot.Axis{Log: true, Min: math.Pow(10, math.Floor(math.Log10(low))), Max: math.Pow(10, math.Ceil(math.Log10(high)))}
	}
	if high > 0 {
		note = fmt.Sprintf("p99 at most %s. Estimated; whole calls, until the header of the answer.", milliseconds(highest(b.P99)))
	}
	return b.chart("latency", "Latency", note, []legend{{"p50", "p50"}, {"p99", "p99"}}, plot.Chart{
		Unit: "ms", Y: axis, Lines: []plot.Series{{Class: "p99", Values: b.P99}, {Class: "p50", Values: b.P50}},
	})
}

func (b builder) inFlight() chart {
	top := highest(b.InFlight)
	return b.chart("flight", "In flight", fmt.Sprintf("At most %s. Requests with their waits, and tunnels; seen once a second.", figure(top)), nil,
		plot.Chart{Y: plot.Axis{Max: math.Ceil(max(4, top*1.05))}, Lines: []plot.Series{{Class: "inflight", Values: b.InFlight}}})
}

func (b builder) states() chart {
	strip := plot.Strip{Name: "state"}
	var shown []legend
	opened := time.Duration(0)
	for _, s := range b.States {
		strip.Marks = append(strip.Marks, plot.Mark{Span: plot.Span{From: s.From, To: s.To}, Class: s.State, Name: s.State})
		if l := (legend{s.State, s.State}); !slices.Contains(shown, l) {
			shown = append(shown, l)
		}
		if s.State == "open" || s.State == "forced-open" {
			opened += s.To - s.From
		}
	}
	note := "Not open in " + plot.Seconds(b.Span) + "."
	if opened > 0 {
		note = fmt.Sprintf("Open for %s of %s, in whole seconds.", plot.Seconds(opened), plot.Seconds(b.Span))
	}
	return b.chart("breaker", "Breaker", note, shown, plot.Chart{Strips: []plot.Strip{strip}})
}

// axis ends above the highest of stacked rates.
func (b builder) axis(rates [][]float64) plot.Axis {
	return plot.Axis{Max: max(1, highest(stack(rates))*1.05)}
}

func stack(all [][]float64) []float64 {
	sum := make([]float64, len(all[0]))
	for _, values := range all {
		for i, x := range values {
			sum[i] += x
		}
	}
	return sum
}

func total(all ...[]float64) (sum float64) {
	for _, values := range all {
		for _, x := range values {
			sum += x
		}
	}
	return sum
}

func highest(values []float64) float64 {
	top := 0.0
	for _, x := range values {
		if x > top {
			top = x
		}
	}
	return top
}

package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/internal/plot"
	"github.com/stanch-go/stanch/sim"
)

// chartSteps is how many steps a chart has: fewer than the series, so that the
// rhythm of a closed loop does not look like a change of rate.
const chartSteps = 80

// A panel is one kind of chart, drawn for every variant on the same axes.
type panel struct {
	Title, Text string
	Legend      []legend
	Charts      []chart
}

type legend struct{ Class, Name string }

type chart struct {
	Variant string
	Note    string
	SVG     template.HTML
}

// panels draws all charts that show something. id makes the elements unique in
// the page.
func panels(id string, p Played) []panel {
	variants := p.variants()
	if end(variants) <= 0 {
		return nil
	}
	b := builder{id: id, variants: variants, end: end(variants)}
	var out []panel
	for _, draw := range []func() panel{b.answers, b.latency, b.breakers, b.admitted, b.inFlight, b.queues} {
		if drawn := draw(); len(drawn.Charts) > 0 {
			out = append(out, drawn)
		}
	}
	return out
}

type builder struct {
	id       string
	variants []variant
	end      time.Duration
}

// chart draws one variant's chart of a panel.
func (b builder) chart(kind string, i int, c plot.Chart) chart {
	v := b.variants[i]
	c.ID = fmt.Sprintf("%s-%s-%d", b.id, kind, i)
	c.End = b.end
	if f, ok := v.fault(); ok {
		c.Shaded = []plot.Mark{{Span: f, Class: "fault", Name: "fault"}}
	}
	return chart{Variant: v.Name, Note: c.Desc, SVG: template.HTML(c.SVG())} // plot escapes what it is given
}

func (b builder) answers() panel {
	p := panel{Title: "Answers", Text: "Requests by how they ended, per second, stacked."}
	areas := make([][]plot.Series, len(b.variants))
	var ok []float64
	sums := 0.0
	used := map[string]bool{}
	for i, v := range b.variants {
		sum := make([]float64, chartSteps)
		for _, k := range kinds {
			values := v.stretch(v.answers(k.of), b.end, chartSteps, means)
			areas[i] = append(areas[i], plot.Series{Class: k.name, Values: values})
			for x, y := range values {
				if y > 0 {
					used[k.name] = true
					sum[x] += y
				}
			}
		}
		ok, sums = append(ok, areas[i][0].Values...), max(sums, highest(sum))
	}
	top, isCut := scaleTop(ok, sums)
	if isCut {
		p.Text += " A rush beyond the axis is cut."
	}
	for i, v := range b.variants {
		silences := v.silences()
		m := v.Metrics
		var desc strings.Builder
		fmt.Fprintf(&desc, "%d of %d ok", m.OK, m.Requests)
		for _, part := range []struct {
			n    int64
			name string
		}{{m.Degraded, "degraded"}, {m.Failed, "failed"}, {refusals(m), "refused"}, {m.Hung, "hung"}} {
			if part.n > 0 {
				fmt.Fprintf(&desc, ", %d %s", part.n, part.name)
			}
		}
		if s := silence(silences); s != "" {
			desc.WriteString("; " + s)
		}
		c := plot.Chart{Title: "Answers per second, " + v.Name, Desc: desc.String(), Unit: "per s", Y: plot.Axis{Max: top * 1.05}, Areas: areas[i]}
		for _, s := range silences {
			c.Empty = append(c.Empty, plot.Mark{Span: s, Class: "silent", Name: "no answer"})
		}
		p.Charts = append(p.Charts, b.chart("answers", i, c))
	}
	for _, k := range kinds {
		if used[k.name] {
			p.Legend = append(p.Legend, legend{k.name, k.name})
		}
	}
	return p
}

func refusals(m sim.Metrics) (n int64) {
	for _, x := range m.Refused {
		n += x
	}
	return n
}

func (b builder) latency() panel {
	axis := latencyAxis(b.variants)
	p := panel{Title: "Latency", Text: "By when the request ended. A gap is where none did.",
		Legend: []legend{{"p50", "p50"}, {"p99", "p99"}}}
	if axis.Log {
		p.Text += " The axis is logarithmic."
	}
	if axis.Max == 0 {
		return panel{}
	}
	for i, v := range b.variants {
		q := v.Metrics.LatencyMs
		p.Charts = append(p.Charts, b.chart("latency", i, plot.Chart{
			Title: "Latency, " + v.Name, Unit: "ms", Y: axis,
			Desc: fmt.Sprintf("p50 %s ms, p99 %s ms, max %s ms", number(q.P50), number(q.P99), number(q.Max)),
			Lines: []plot.Series{
				{Class: "p99", Values: v.latencies(v.series().P99, b.end)},
				{Class: "p50", Values: v.latencies(v.series().P50, b.end)},
			},
		}))
	}
	return p
}

// latencies keeps the steps of the series, for a mean of quantiles is none.
func (v variant) latencies(values []float64, end time.Duration) []float64 {
	if len(values) == 0 {
		return nil
	}
	n := int(math.Round(float64(len(values)) * float64(end) / float64(v.end())))
	return v.stretch(values, end, n, func(values []float64, _ int) []float64 { return slices.Clone(values) })
}

func (b builder) breakers() panel {
	p := panel{Title: "Breaker", Text: "The state of the breaker at each dependency.",
		Legend: []legend{{"closed", "closed"}, {"half-open", "half-open"}, {"open", "open"}}}
	var shown []string
	for _, name := range names(b.variants, func(v variant) map[string]sim.DependencyResult { return v.Dependencies }) {
		for _, v := range b.variants {
			if len(v.states(name)) > 0 {
				shown = append(shown, name)
				break
			}
		}
	}
	if len(shown) == 0 {
		return panel{}
	}
	for i, v := range b.variants {
		var strips []plot.Strip
		var told []string
		for _, name := range shown {
			s := plot.Strip{Name: name}
			opened, open := 0, time.Duration(0)
			for _, x := range v.states(name) {
				s.Marks = append(s.Marks, plot.Mark{Span: x.Span, Class: x.State.String(), Name: x.State.String()})
				if x.State == breaker.Open || x.State == breaker.ForcedOpen {
					opened++
					open += x.To - x.From
				}
			}
			switch opened {
			case 0:
				told = append(told, name+" never opened")
			case 1:
				told = append(told, fmt.Sprintf("%s opened once, for %.2f s", name, open.Seconds()))
			default:
				told = append(told, fmt.Sprintf("%s opened %d times, %.2f s in all", name, opened, open.Seconds()))
			}
			strips = append(strips, s)
		}
		p.Charts = append(p.Charts, b.chart("breaker", i, plot.Chart{
			Title: "Breaker, " + v.Name, Desc: strings.Join(told, "; "), Strips: strips,
		}))
	}
	return p
}

func (b builder) inFlight() panel {
	return b.levels("In flight", "inflight", "Calls that a dependency has in hand, the most at once in each step. It works on to the end although the caller is gone.",
		names(b.variants, func(v variant) map[string]*sim.DependencySeries { return v.series().Dependencies }),
		func(v variant, name string) []int {
			if d := v.series().Dependencies[name]; d != nil {
				return d.InFlight
			}
			return nil
		})
}

func (b builder) queues() panel {
	return b.levels("Queue", "queue", "Requests that wait for a worker, the most at once in each step.",
		names(b.variants, func(v variant) map[string][]int { return v.series().Queues }),
		func(v variant, name string) []int { return v.series().Queues[name] })
}

// levels draws a line for each name that is not always at zero.
func (b builder) levels(title, id, text string, names []string, of func(variant, string) []int) panel {
	p := panel{Title: title, Text: text}
	top := 0.0
	classes := map[string]string{}
	for _, name := range names {
		high := 0.0
		for _, v := range b.variants {
			high = max(high, highest(numbers(of(v, name))))
		}
		if high > 0 {
			classes[name] = fmt.Sprintf("line%d", len(p.Legend)%lineColours)
			p.Legend = append(p.Legend, legend{classes[name], name})
		}
		top = max(top, high)
	}
	if top == 0 {
		return panel{}
	}
	for i, v := range b.variants {
		c := plot.Chart{Title: title + ", " + v.Name, Y: plot.Axis{Max: math.Ceil(top * 1.05)}}
		var peaks []string
		for _, name := range names {
			values := numbers(of(v, name))
			if classes[name] == "" || len(values) == 0 {
				continue
			}
			c.Lines = append(c.Lines, plot.Series{Class: classes[name], Values: v.stretch(values, b.end, chartSteps, plot.Peaks)})
			peaks = append(peaks, fmt.Sprintf("%s at most %s", name, number(highest(values))))
		}
		c.Desc = strings.Join(peaks, ", ")
		p.Charts = append(p.Charts, b.chart(id, i, c))
	}
	return p
}

// lineColours is how many colours the page has for lines.
const lineColours = 6

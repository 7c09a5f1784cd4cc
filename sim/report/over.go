package report

import (
	"fmt"
	"time"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/internal/plot"
	"github.com/stanch-go/stanch/sim"
)

// kinds are the ways in which a request ends, best first. The names are also
// the classes of the page.
var kinds = []struct {
	name string
	of   func(sim.Counts) int
}{
	{"ok", func(c sim.Counts) int { return c.OK }},
	{"degraded", func(c sim.Counts) int { return c.Degraded }},
	{"failed", func(c sim.Counts) int { return c.Failed }},
	{"refused", func(c sim.Counts) int { return c.Refused }},
}

// answers returns the answers of a kind in each step, as the rate per second.
func (v variant) answers(of func(sim.Counts) int) []float64 {
	if v.Series == nil {
		return nil
	}
	out := make([]float64, len(v.Series.Answers))
	for i, c := range v.Series.Answers {
		out[i] = float64(of(c)) / v.Series.Step.Seconds()
	}
	return out
}

// end is where the variant's time axis ends; 0 without a series.
func (v variant) end() time.Duration {
	return v.series().Step * time.Duration(len(v.series().Answers))
}

// fault is when the incident is, false for none.
func (v variant) fault() (plot.Span, bool) {
	f := v.model.Fault
	return plot.Span{From: f.From, To: f.To}, f.To > f.From
}

// minSilence is how long nobody must have been answered to be worth a mark.
const minSilence = 500 * time.Millisecond

// silences returns when requests waited and none ended.
func (v variant) silences() []plot.Span {
	if v.Series == nil {
		return nil
	}
	var out []plot.Span
	flush := func(from, to int) {
		s := plot.Span{From: v.Series.Step * time.Duration(from), To: min(v.Series.Step*time.Duration(to), v.end())}
		if s.To-s.From >= minSilence {
			out = append(out, s)
		}
	}
	waiting, from := 0, -1
	hung := v.Metrics.Hung > 0 && !v.cut // those still out when a run is cut are not hung
	for i, c := range v.Series.Answers {
		waiting += total(v.Series.Requests[i])
		ended := total(c)
		silent := ended == 0 && (waiting > 0 || hung)
		waiting -= ended
		if silent && from < 0 {
			from = i
		}
		if !silent && from >= 0 {
			flush(from, i)
			from = -1
		}
	}
	if from >= 0 && !v.cut {
		flush(from, len(v.Series.Answers))
	}
	return out
}

func total(c sim.Counts) int { return c.OK + c.Degraded + c.Failed + c.Refused }

// silence says how long in all nobody was answered.
func silence(spans []plot.Span) string {
	var sum time.Duration
	for _, s := range spans {
		sum += s.To - s.From
	}
	if sum == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f s without an answer", sum.Seconds())
}

// states returns the states of a dependency's breaker, one after the other;
// none when it never left the first one.
func (v variant) states(dependency string) []state {
	if v.Series == nil {
		return nil
	}
	d := v.Series.Dependencies[dependency]
	if d == nil || len(d.States) == 0 {
		return nil
	}
	out := []state{{breaker.Closed, plot.Span{}}}
	for _, c := range d.States {
		out[len(out)-1].To = c.At
		out = append(out, state{c.State, plot.Span{From: c.At}})
	}
	out[len(out)-1].To = v.end()
	return out
}

type state struct {
	breaker.State
	plot.Span
}

package report

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/internal/plot"
)

// maxColumns is how wide a timeline gets; a wider one would show the grain of
// the series.
const maxColumns = 120

var stateRune = map[breaker.State]rune{
	breaker.Closed: '─', breaker.Open: '█', breaker.HalfOpen: '▒',
	breaker.ForcedOpen: '▓', breaker.ForcedClosed: '═',
}

// timeline draws every variant over the same time and to the same scale: a line
// for each kind of answer that it gave, and one for each breaker that opened.
func (t *text) timeline() {
	end := end(t.variants)
	labels := len("degraded")
	for _, v := range t.variants {
		for name := range v.Dependencies {
			if len(v.states(name)) > 0 {
				labels = max(labels, length(t.breakerName(v, name)))
			}
		}
	}
	if end <= 0 {
		return
	}
	labels = min(labels, t.width/3)
	canvas := canvas{text: t, end: end, labels: labels, columns: min(maxColumns, t.width-labels-4)}
	var ok []float64
	top := 0.0
	for _, v := range t.variants {
		for i, k := range kinds {
			rates := canvas.rates(v, v.answers(k.of))
			top = max(top, highest(rates))
			if i == 0 {
				ok = append(ok, rates...)
			}
		}
	}
	var isCut bool
	canvas.top, isCut = scaleTop(ok, top)
	unit := " a second"
	if isCut {
		unit += " or more"
	}
	t.put("\n%s  %s\n", t.in(bold, "Answers over time"),
		t.in(faint, "█ = "+plot.Number(math.Round(canvas.top))+unit+", × = nobody was answered"))
	for _, v := range t.variants {
		for _, values := range v.limits() {
			canvas.topLimit = max(canvas.topLimit, highest(values))
		}
	}
	breakers := false
	for _, v := range t.variants {
		breakers = canvas.variant(v) || breakers
	}
	line, ticks := plot.Ruler(end, canvas.columns)
	canvas.row("", t.in(faint, line))
	canvas.row("", ticks)
	canvas.faults()
	if canvas.topLimit > 0 {
		t.put("%s\n", t.in(faint, "limit: █ = "+plot.Number(canvas.topLimit)+" in flight"))
	}
	if breakers {
		t.put("%s\n", t.in(faint, "breaker: ─ closed, █ open, ▒ half-open"))
	}
}

// A canvas is the space that the timelines of all variants share.
type canvas struct {
	*text
	end             time.Duration
	top, topLimit   float64
	labels, columns int
}

func (c canvas) row(label, line string) {
	c.put("%s\n", strings.TrimRight("  "+pad(cut(label, c.labels), c.labels)+"  "+line, " "))
}

// rates brings a variant's rates to the columns of the canvas.
func (c canvas) rates(v variant, rates []float64) []float64 {
	n := c.columnsOf(v)
	if n == 0 || len(rates) == 0 {
		return nil
	}
	return means(rates, n)
}

// columnsOf is how many columns the variant's time takes.
func (c canvas) columnsOf(v variant) int {
	return int(float64(c.columns) * float64(v.end()) / float64(c.end))
}

// variant draws one variant and reports whether a breaker is in the picture.
func (c canvas) variant(v variant) (breakers bool) {
	silences := v.silences()
	name := c.in(bold, plain(v.Name))
	if s := silence(silences); s != "" {
		name += "  " + c.in(red, s)
	}
	c.put("%s\n", name)
	drawn := false
	for _, k := range kinds {
		line := make([]rune, c.columnsOf(v))
		some := false
		for i, x := range c.rates(v, v.answers(k.of)) {
			line[i] = plot.Bar(x, c.top)
			some = some || x > 0
		}
		if !some && (drawn || k.name != "ok" || len(silences) == 0) {
			continue
		}
		if drawn {
			c.row(k.name, c.in(kindColour[k.name], string(line)))
			continue
		}
		drawn = true
		c.row(k.name, c.crossed(line, kindColour[k.name], silences))
	}
	for _, name := range sortedKeys(v.Dependencies) {
		if states := v.states(name); len(states) > 0 {
			c.row(c.breakerName(v, name), c.strip(states, c.columnsOf(v)))
			breakers = true
		}
	}
	c.limit(v)
	return breakers
}

// crossed marks the columns in which nobody was answered.
func (c canvas) crossed(line []rune, colour string, silences []plot.Span) string {
	var b strings.Builder
	from := 0
	for _, s := range silences {
		start, end := c.column(s.From), min(len(line), c.column(s.To-1)+1)
		for start < end && line[start] > ' ' { // answers before the silence began
			start++
		}
		for start < end && line[end-1] > ' ' {
			end--
		}
		b.WriteString(c.in(colour, string(line[from:start])))
		b.WriteString(c.in(red, strings.Repeat("×", end-start)))
		from = end
	}
	b.WriteString(c.in(colour, string(line[from:])))
	return b.String()
}

func (c canvas) column(at time.Duration) int { return plot.Column(at, c.end, c.columns) }

// strip draws the states of a breaker. Where several fall into one column the
// least closed one is shown, so that a short opening is not lost.
func (c canvas) strip(states []state, n int) string {
	line := make([]rune, n)
	shown := make([]breaker.State, n)
	for _, s := range states {
		for i := c.column(s.From); i < n && i <= c.column(max(s.From, s.To-1)); i++ {
			if line[i] == 0 || severity(s.State) > severity(shown[i]) {
				shown[i], line[i] = s.State, stateRune[s.State]
			}
		}
	}
	for i := range line {
		if line[i] == 0 {
			line[i] = ' '
		}
	}
	return string(line)
}

func severity(s breaker.State) int {
	return slices.Index([]breaker.State{breaker.ForcedClosed, breaker.Closed, breaker.HalfOpen, breaker.Open, breaker.ForcedOpen}, s)
}

// faults marks the spans of the incident, once where the variants agree.
func (c canvas) faults() {
	var seen []plot.Span
	for _, v := range c.variants {
		if f, ok := v.fault(); ok && !slices.Contains(seen, f) {
			seen = append(seen, f)
			c.row("", c.in(red, plot.Bracket(f, "fault "+plot.Seconds(f.From)+" to "+plot.Seconds(f.To), c.end, c.columns)))
		}
	}
}

func (t *text) breakerName(v variant, dependency string) string {
	if len(v.Dependencies) == 1 {
		return "breaker"
	}
	return plain(dependency)
}

// cut shortens a label that is too long.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

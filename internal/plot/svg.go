package plot

import (
	_ "embed"
	"fmt"
	"html"
	"math"
	"strings"
	"time"
)

// Style is what all pages with charts have in their style sheet. The page says what
// --ink, --soft and --rule are.
//
//go:embed chart.css
var Style string

// A Chart is one SVG picture over time. Colours are not its business: what it
// draws carries classes, which the style sheet of the page fills in.
type Chart struct {
	ID    string // unique in the page
	Title string
	Desc  string // for those who cannot see it
	End   time.Duration
	Ago   bool // the end is now, and instants are told as before it
	Y     Axis
	Unit  string // what Y counts

	Areas  []Series // stacked, the first at the bottom
	Lines  []Series
	Strips []Strip // instead of areas and lines

	Shaded []Mark // behind everything, over the whole height
	Empty  []Mark // at the bottom: nothing happened
}

// Axis is the range of values. A logarithmic one begins at Min.
type Axis struct {
	Min, Max float64
	Log      bool
}

// Series are values of equal steps. NaN leaves a gap.
type Series struct {
	Class  string
	Values []float64
}

// A Strip is a row of states over time.
type Strip struct {
	Name  string
	Marks []Mark
}

// A Mark is a span with a class and a name.
type Mark struct {
	Span
	Class, Name string
}

// Lengths in the units of the picture. It is narrow, so that its letters stay
// legible on a narrow screen.
const (
	width, height             = 420, 176
	left, right               = 44, 8
	top, bottom               = 20, 22
	rowHeight, rowBar         = 34, 14
	innerWidth                = width - left - right
	innerHeight               = height - top - bottom
	labelChars        float64 = 6.4
)

type drawing struct {
	*Chart
	strings.Builder
	high float64 // of the inner part
}

// SVG returns the picture as an element for a page.
func (c *Chart) SVG() string {
	d := drawing{Chart: c, high: innerHeight}
	if len(c.Strips) > 0 {
		d.high = float64(len(c.Strips) * rowHeight)
	}
	d.put(`<svg class="chart" role="img" viewBox="0 0 %d %s" aria-labelledby="%s-t %s-d">`,
		width, n(d.high+top+bottom), html.EscapeString(c.ID), html.EscapeString(c.ID))
	d.put(`<title id="%s-t">%s</title>`, html.EscapeString(c.ID), html.EscapeString(c.Title))
	d.put(`<desc id="%s-d">%s</desc>`, html.EscapeString(c.ID), html.EscapeString(c.Desc))
	for _, m := range c.Shaded {
		d.rect(m, top, d.high)
		if x := d.x(m.From) + 3; x+labelChars*float64(len(m.Name)) <= width {
			d.text(x, top-6, "start", "note", m.Name)
		} else {
			d.text(width-2, top-6, "end", "note", m.Name)
		}
	}
	d.axes()
	d.areas()
	for _, s := range c.Lines {
		d.put(`<path class="line %s" d="%s"/>`, html.EscapeString(s.Class), d.line(s.Values))
	}
	for _, m := range c.Empty {
		d.rect(m, top+d.high-7, 7)
		if middle := (d.x(m.From) + d.x(m.To)) / 2; d.x(m.To)-d.x(m.From) > labelChars*float64(len(m.Name)) {
			d.text(middle, top+d.high-12, "middle", "note "+m.Class, m.Name)
		}
	}
	for i, s := range c.Strips {
		y := float64(top + i*rowHeight)
		d.text(left, y+11, "start", "", s.Name)
		for _, m := range s.Marks {
			d.rect(m, y+15, rowBar)
		}
	}
	d.WriteString(`</svg>`)
	return d.String()
}

func (d *drawing) axes() {
	for _, at := range TimeTicks(d.End, 8) {
		if d.Ago {
			at = d.End - at
		}
		x := d.x(at)
		d.put(`<path class="grid" d="M%s %dv%s"/>`, n(x), top, n(d.high))
		anchor := "middle"
		if at == d.End {
			anchor = "end"
		}
		d.text(x, top+d.high+15, anchor, "tick", d.instant(at))
	}
	if len(d.Strips) > 0 {
		return
	}
	for _, v := range d.Y.ticks() {
		y := d.y(v)
		d.put(`<path class="grid" d="M%d %sh%d"/>`, left, n(y), innerWidth)
		d.text(left-5, y+4, "end", "tick", Number(v))
	}
	d.text(left-5, 10, "end", "tick", d.Unit)
}

func (a Axis) ticks() []float64 {
	if a.Log {
		return LogTicks(a.Min, a.Max)
	}
	return Ticks(a.Max, 4)
}

// areas draws the stack from the top down to the line below it.
func (d *drawing) areas() {
	var below []float64
	for _, s := range d.Areas {
		sum := make([]float64, len(s.Values))
		empty := true
		for i, v := range s.Values {
			sum[i] = v
			if i < len(below) {
				sum[i] += below[i]
			}
			empty = empty && v == 0
		}
		if !empty {
			path := d.steps(sum, false)
			if below == nil {
				path += fmt.Sprintf("V%sH%sZ", n(d.y(0)), n(left))
			} else {
				path += d.steps(below, true) + "Z"
			}
			d.put(`<path class="area %s" d="%s"/>`, html.EscapeString(s.Class), path)
		}
		below = sum
	}
}

// steps draws the values as stairs, forwards from the left or back from the
// right.
func (d *drawing) steps(values []float64, back bool) string {
	var b strings.Builder
	each := innerWidth / float64(len(values))
	move := "M"
	for i := range values {
		k := i
		if back {
			k, move = len(values)-1-i, "L"
		}
		from, to := left+float64(k)*each, left+float64(k+1)*each
		if back {
			from, to = to, from
		}
		if i == 0 {
			fmt.Fprintf(&b, "%s%s %s", move, n(from), n(d.y(values[k])))
		} else {
			fmt.Fprintf(&b, "V%s", n(d.y(values[k])))
		}
		fmt.Fprintf(&b, "H%s", n(to))
	}
	return b.String()
}

// line draws the values as stairs with gaps.
func (d *drawing) line(values []float64) string {
	var b strings.Builder
	each := innerWidth / float64(len(values))
	pen := false
	for i, v := range values {
		if math.IsNaN(v) {
			pen = false
			continue
		}
		from, to := left+float64(i)*each, left+float64(i+1)*each
		if pen {
			fmt.Fprintf(&b, "V%s", n(d.y(v)))
		} else {
			fmt.Fprintf(&b, "M%s %s", n(from), n(d.y(v)))
		}
		fmt.Fprintf(&b, "H%s", n(to))
		pen = true
	}
	return b.String()
}

func (d *drawing) rect(m Mark, y, h float64) {
	d.put(`<rect class="%s" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`, html.EscapeString(m.Class),
		n(d.x(m.From)), n(y), n(max(0.8, d.x(m.To)-d.x(m.From))), n(h),
		html.EscapeString(fmt.Sprintf("%s, %s to %s", m.Name, d.instant(m.From), d.instant(m.To))))
}

func (c *Chart) instant(at time.Duration) string {
	switch {
	case !c.Ago:
		return Seconds(at)
	case at >= c.End:
		return "now"
	}
	return "-" + Seconds(c.End-at)
}

func (d *drawing) text(x, y float64, anchor, class, text string) {
	d.put(`<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>`,
		html.EscapeString(class), n(x), n(y), anchor, html.EscapeString(text))
}

func (d *drawing) put(format string, args ...any) { fmt.Fprintf(d, format, args...) }

func (d *drawing) x(at time.Duration) float64 {
	if d.End <= 0 {
		return left
	}
	return left + innerWidth*max(0, min(1, float64(at)/float64(d.End)))
}

func (d *drawing) y(v float64) float64 {
	share := v / d.Y.Max
	if d.Y.Log {
		share = math.Log(v/d.Y.Min) / math.Log(d.Y.Max/d.Y.Min)
	}
	if math.IsNaN(share) {
		share = 0
	}
	return top + d.high*(1-max(0, min(1, share)))
}

// n writes a length with one decimal at most.
func n(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}

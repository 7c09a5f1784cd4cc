package plot_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/plot"
)

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
	}
}

func TestChart(t *testing.T) {
	c := plot.Chart{
		ID: "x", Title: `A "title" <with> marks`, Desc: "what it shows", End: 4 * time.Second, Unit: "per s",
		Y:      plot.Axis{Max: 10},
		Areas:  []plot.Series{{Class: "ok", Values: []float64{5, 5, 0, 0}}, {Class: "failed", Values: []float64{0, 5, 5, 99}}, {Class: "refused", Values: make([]float64, 4)}},
		Lines:  []plot.Series{{Class: "p50", Values: []float64{1, math.NaN(), 2, 2}}},
		Shaded: []plot.Mark{{Span: plot.Span{From: time.Second, To: 2 * time.Second}, Class: "fault", Name: "fault"}},
		Empty:  []plot.Mark{{Span: plot.Span{From: 0, To: time.Second}, Class: "silent", Name: "none"}},
	}
	svg := c.SVG()
	wellFormed(t, svg)
	for _, want := range []string{
		`role="img"`, `aria-labelledby="x-t x-d"`, `A &#34;title&#34; &lt;with&gt; marks</title>`, `what it shows</desc>`,
		`fault, 1s to 2s</title>`, `class="area ok"`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is not in %s", want, svg)
		}
	}
	if strings.Contains(svg, `area refused`) {
		t.Error("an area of nothing is drawn")
	}
	if strings.Contains(svg, "NaN") {
		t.Error("a gap is drawn as NaN")
	}
	if n := strings.Count(svg[strings.Index(svg, `line p50`):], "M"); n < 2 {
		t.Error("the gap in the line is bridged")
	}
}

// Odd input gives an odd picture, but a picture.
func TestChartOfNothing(t *testing.T) {
	for _, c := range []plot.Chart{
		{},
		{Y: plot.Axis{Log: true}},
		{End: time.Second, Y: plot.Axis{Max: 1}, Lines: []plot.Series{{}}},
		{End: time.Second, Y: plot.Axis{Log: true, Min: 1, Max: 1}, Lines: []plot.Series{{Values: []float64{0, -1, math.Inf(1)}}}},
		{End: time.Second, Strips: []plot.Strip{{Name: "a"}, {Name: "b", Marks: []plot.Mark{{}}}}},
	} {
		svg := c.SVG()
		wellFormed(t, svg)
		if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
			t.Errorf("%+v: %s", c, svg)
		}
	}
}

// A chart that ends now tells instants as before it.
func TestChartAgo(t *testing.T) {
	c := plot.Chart{
		ID: "x", End: 4 * time.Second, Ago: true, Y: plot.Axis{Max: 1},
		Shaded: []plot.Mark{{Span: plot.Span{From: time.Second, To: 4 * time.Second}, Class: "fault", Name: "fault"}},
	}
	svg := c.SVG()
	wellFormed(t, svg)
	for _, want := range []string{`text-anchor="end">now</text>`, `text-anchor="middle">-4s</text>`, `fault, -3s to now</title>`} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is not in %s", want, svg)
		}
	}
	c.Shaded[0].From = 3900 * time.Millisecond
	if svg := c.SVG(); !strings.Contains(svg, `text-anchor="end">fault</text>`) {
		t.Error("a name at the edge is cut off: ", svg)
	}
	if strings.Contains(svg, ">0s<") {
		t.Error("an instant is told from the beginning")
	}
}

package screen

import (
	"strings"

	"github.com/stanch-go/stanch/internal/demo"
)

// A mark is what a cell of a chart stands for.
type mark uint8

const (
	none mark = iota
	live
	degraded
	nobody
)

// The characters of a chart, which tell the marks apart without colours.
const (
	eighths      = "▁▂▃▄▅▆▇█" // live
	degradedRune = '▒'
	nobodyRune   = '×'
	aboveRune    = '▲' // more than the chart can show
)

// A chart draws answers over time: columns for each stretch of time, and rows
// that reach up to a full number of answers.
type chart struct {
	theme   theme
	rows    int
	columns int // for each stretch
	full    int
}

// lines draws the rows, the topmost first.
func (c chart) lines(ticks []demo.Tick) []string {
	lines := make([]string, c.rows)
	for i := range lines {
		var line strings.Builder
		for _, t := range ticks {
			r, m := c.cell(t, c.rows-1-i)
			line.WriteString(c.theme.of(m).Render(strings.Repeat(string(r), c.columns)))
		}
		lines[i] = line.String()
	}
	return lines
}

// cell is what stands in a row, counted from the bottom: live answers at the
// bottom, the degraded ones above them.
func (c chart) cell(t demo.Tick, row int) (rune, mark) {
	if t.Answered() == 0 && row == 0 {
		return nobodyRune, nobody
	}
	kind := live
	filled, ofLive := c.filled(t.Answered(), row), c.filled(t.Live, row)
	if ofLive < filled/2 {
		kind = degraded
	}
	switch {
	case row == c.rows-1 && t.Answered() > c.full:
		return aboveRune, kind
	case row > 0 && (filled < 1./16 || kind == degraded && filled < 1./4):
		return ' ', none // too little to see
	case kind == degraded:
		return degradedRune, kind
	}
	return []rune(eighths)[max(0, int(filled*8+0.5)-1)], kind
}

// filled is the share of a row that so many answers fill.
func (c chart) filled(answers, row int) float64 {
	return min(max(float64(answers*c.rows)/float64(c.full)-float64(row), 0), 1)
}

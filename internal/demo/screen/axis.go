package screen

import (
	"fmt"
	"strings"
	"time"

	"github.com/stanch-go/stanch/internal/demo"
)

// An axis is the time below the charts, filled as far as it has passed.
type axis struct {
	theme   theme
	columns int // for each stretch
	ticks   int
}

// lines draws the axis and the seconds below it.
func (a axis) lines(r demo.Report) []string {
	return []string{
		strings.Repeat(" ", margin) + a.line(r),
		strings.Repeat(" ", margin) + a.theme.faint.Render(a.labels(r.Config)),
	}
}

func (a axis) line(r demo.Report) string {
	var line strings.Builder
	for i := range a.ticks * a.columns {
		at := time.Duration(i) * r.Config.Tick / time.Duration(a.columns)
		switch passed := at < r.Elapsed; {
		case r.Config.Stalls(at) && passed:
			line.WriteString(a.theme.bad.Render("▓"))
		case r.Config.Stalls(at):
			line.WriteString(a.theme.bad.Render("░"))
		case passed:
			line.WriteString("━")
		default:
			line.WriteString(a.theme.faint.Render("─"))
		}
	}
	return line.String()
}

// labels writes the seconds at which something happens, and between them every
// fifth where there is room.
func (a axis) labels(c demo.Config) string {
	line := []rune(strings.Repeat(" ", a.ticks*a.columns+3))
	put := func(tick int, text string) {
		at := tick * a.columns
		end := at + len(text)
		if end > len(line) || strings.TrimSpace(string(line[max(0, at-1):min(end+1, len(line))])) != "" {
			return
		}
		copy(line[at:], []rune(text))
	}
	begins, ends := int(c.StallAt/c.Tick), int((c.StallAt+c.Stall)/c.Tick)
	if (ends-begins)*a.columns > len("5s stall") {
		put(begins, fmt.Sprintf("%ds stall", begins))
	} else {
		put(begins, fmt.Sprintf("%ds", begins))
	}
	put(ends, fmt.Sprintf("%ds", ends))
	put(a.ticks, fmt.Sprintf("%ds", a.ticks))
	for i := 0; i < a.ticks; i += 5 {
		put(i, fmt.Sprintf("%ds", i))
	}
	return strings.TrimRight(string(line), " ")
}

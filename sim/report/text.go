package report

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextOptions say what the terminal can show. The zero value is 80 columns
// without colours.
type TextOptions struct {
	Width  int // in columns; default 80, at least 64
	Colour bool
}

// Text writes the figures, the timeline and the expectations.
func Text(w io.Writer, p Played, o TextOptions) error {
	if o.Width == 0 {
		o.Width = 80
	}
	t := &text{paint: paint(o.Colour), width: max(64, o.Width), played: p, variants: p.variants()}
	t.head()
	t.table(newTable(p))
	t.timeline()
	t.expectations()
	_, err := io.WriteString(w, t.String())
	return err
}

type text struct {
	strings.Builder
	paint
	width    int
	played   Played
	variants []variant
}

func (t *text) put(format string, args ...any) { fmt.Fprintf(t, format, args...) }

func (t *text) head() {
	r := t.played.Result
	title := plain(r.Scenario)
	if r.Title != "" {
		title += ": " + plain(r.Title)
	}
	t.put("%s\n", t.in(bold, title))
	t.put("%s\n", t.in(faint, fmt.Sprintf("%s time, seed %d", r.Mode, r.Seed)))
	if r.Interrupted && len(t.variants) > 0 {
		t.put("%s\n", t.in(red, fmt.Sprintf("interrupted in variant %s: its figures are those so far", plain(t.variants[len(t.variants)-1].Name))))
	}
}

// table writes the variants side by side, in as many blocks as the width needs.
func (t *text) table(tab table) {
	labels, widths := 0, make([]int, len(tab.Variants))
	for i, name := range tab.Variants {
		widths[i] = length(plain(name))
	}
	for _, g := range tab.Groups {
		for _, r := range g.Rows {
			labels = max(labels, length(r.name()))
			for i, c := range r.Cells {
				widths[i] = max(widths[i], length(c.String()))
			}
		}
	}
	labels = min(labels, t.width/2)
	for from := 0; from < len(widths); {
		to, used := from, labels
		for to < len(widths) && (to == from || used+2+widths[to] <= t.width) {
			used += 2 + widths[to]
			to++
		}
		t.block(tab, labels, widths, from, to)
		from = to
	}
	if tab.Published {
		t.put("\n%s\n", t.in(faint, "In brackets: the figure that was published."))
	}
}

func (t *text) block(tab table, labels int, widths []int, from, to int) {
	t.put("\n%s", strings.Repeat(" ", labels))
	for i := from; i < to; i++ {
		t.put("  %s", t.in(bold, pad(plain(tab.Variants[i]), -widths[i])))
	}
	t.put("\n")
	for _, g := range tab.Groups {
		if len(tab.Groups) > 1 {
			t.put("%s\n", t.in(faint, plain(g.Name)))
		}
		for _, r := range g.Rows {
			var line strings.Builder
			line.WriteString(pad(r.name(), labels))
			for i := from; i < to; i++ {
				line.WriteString("  " + pad(r.Cells[i].String(), -widths[i]))
			}
			t.put("%s\n", strings.TrimRight(line.String(), " "))
		}
	}
}

func (r row) name() string {
	if r.Unit == "" {
		return "  " + plain(r.Label)
	}
	return "  " + plain(r.Label) + " " + r.Unit
}

func (t *text) expectations() {
	expected := t.played.Result.Expectations
	if len(expected) == 0 {
		return
	}
	t.put("\n%s\n", t.in(bold, "Expected"))
	held := 0
	widest := 0
	for _, e := range expected {
		widest = max(widest, length(plain(e.Text)))
	}
	widest = min(widest, t.width-16)
	for _, e := range expected {
		mark := t.in(red, "✗")
		if e.Holds {
			held++
			mark = t.in(green, "✓")
		}
		t.put("  %s %s  %s\n", mark, pad(plain(e.Text), widest), number(e.Figure))
	}
	verdict := t.in(green, fmt.Sprintf("All %d hold.", held))
	if held < len(expected) {
		verdict = t.in(red, fmt.Sprintf("%d of %d do not hold.", len(expected)-held, len(expected)))
	}
	t.put("%s\n", verdict)
}

// plain keeps a file from steering the terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

func length(s string) int { return utf8.RuneCountInString(s) }

// pad fills up with blanks to a width, on the left when it is negative.
func pad(s string, width int) string {
	if fill := max(width, -width) - length(s); fill > 0 {
		if width < 0 {
			return strings.Repeat(" ", fill) + s
		}
		return s + strings.Repeat(" ", fill)
	}
	return s
}

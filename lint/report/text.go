package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/lint"
)

// TextOptions say what is shown and what the terminal can show. The zero value
// is 80 columns without colours, without lines of files.
type TextOptions struct {
	Width  int // in columns; default 80, at least 40
	Colour bool
	// Sources are the files by name.
	Sources map[string][]byte
}

// Text writes the findings with the lines they are at, and after them the sums.
func Text(w io.Writer, r *lint.Report, o TextOptions) error {
	t := newText(o)
	for _, f := range r.Findings {
		if f.Allowed == "" {
			t.finding(f, o.Sources)
		}
	}
	t.put("%s: %v\n", r.Policy.Path, count(r.Findings))
	t.sums(r.Sums)
	if r.Inbound != nil {
		t.put("\n%s\n", t.in(bold, "inbound"))
		t.words("takes in", r.Inbound.Words)
	}
	t.unknown(r.Unknown)
	_, err := io.WriteString(w, t.String())
	return err
}

type text struct {
	strings.Builder
	width  int
	colour bool
}

func newText(o TextOptions) *text {
	width := max(40, o.Width)
	if o.Width == 0 {
		width = 80
	}
	return &text{width: width, colour: o.Colour}
}

func (t *text) put(format string, args ...any) { fmt.Fprintf(t, format, args...) }

const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	yellow = "33"
	cyan   = "36"
)

func (t *text) in(colour, s string) string {
	if !t.colour || s == "" {
		return s
	}
	return "\x1b[" + colour + "m" + s + "\x1b[0m"
}

func (t *text) severity(s lint.Severity) string {
	return t.in(map[lint.Severity]string{lint.Error: red, lint.Warning: yellow, lint.Info: cyan}[s], string(s))
}

// finding writes the place, the line of the file, why it matters, and what to do.
func (t *text) finding(f lint.Finding, sources map[string][]byte) {
	at := strict.Fault{
		File: f.File, Line: f.Line, Column: f.Column,
		Text: fmt.Sprintf("%s %s: %s: %s", t.severity(f.Rule.Severity), f.Rule.Code, f.Path, f.Text),
	}
	t.WriteString(strict.Faults{at}.Pretty(sources))
	t.labelled("        why: ", f.Rule.Brief())
	t.labelled("        fix: ", f.Remedy)
	t.put("\n")
}

// labelled writes a paragraph beside its label.
func (t *text) labelled(label, paragraph string) {
	indent := strings.Repeat(" ", len(label))
	for i, line := range wrap(paragraph, t.width-len(label)) {
		if i == 0 {
			t.put("%s%s\n", t.in(faint, label), line)
		} else {
			t.put("%s%s\n", indent, line)
		}
	}
}

func (t *text) sums(sums []lint.Sums) {
	for _, s := range sums {
		name := t.in(bold, s.Dependency)
		if s.Class != "" {
			name += " (" + s.Class + ")"
		}
		t.put("\n%s\n", name)
		t.words("worst-case time", s.Time.Words)
		t.words("when it hangs", s.Fault.Words)
		t.words("amplification", s.Load.Words)
	}
}

func (t *text) words(label string, words []string) {
	for i, w := range words {
		if i > 0 {
			label = ""
		}
		t.labelled(fmt.Sprintf("  %-15s  ", label), w)
	}
}

func (t *text) unknown(missing []lint.Unknown) {
	if len(missing) > 0 {
		t.put("\nNot known, since the file does not say it:\n")
	}
	for _, u := range missing {
		t.labelled(fmt.Sprintf("  %-16s  ", u.Path), u.Without)
	}
}

// wrap breaks a paragraph at spaces so that no line is longer, where it can.
func wrap(paragraph string, width int) []string {
	lines, line := []string{}, ""
	for word := range strings.FieldsSeq(paragraph) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	return append(lines, line)
}

package report_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/sim/report"
)

func text(t *testing.T, p report.Played, o report.TextOptions) string {
	t.Helper()
	var b strings.Builder
	if err := report.Text(&b, p, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextGolden(t *testing.T) {
	three := stall(t, "waits", "degrades", "fails")
	golden.Check(t, "testdata/three-80.txt", text(t, three, report.TextOptions{}))
	golden.Check(t, "testdata/three-120.txt", text(t, three, report.TextOptions{Width: 120}))
	golden.Check(t, "testdata/three-colour.txt", text(t, three, report.TextOptions{Colour: true}))
	six := stall(t, "without anything", "with a breaker", "with a short queue", "the first again", "the second again", "the third again")
	golden.Check(t, "testdata/six-80.txt", text(t, six, report.TextOptions{}))
}

// Whatever is asked for, no line is wider than the terminal.
func TestTextFits(t *testing.T) {
	p := stall(t, "without anything", "with a breaker", "with a short queue", "the first again", "the second again", "the third again")
	for _, width := range []int{64, 80, 120, 200} {
		for line := range strings.Lines(text(t, p, report.TextOptions{Width: width})) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
				t.Errorf("%d columns: a line has %d: %s", width, n, line)
			}
			if strings.TrimRight(line, " \n") != strings.TrimSuffix(line, "\n") {
				t.Errorf("%d columns: blanks at the end of %q", width, line)
			}
		}
	}
}

// Colours change nothing but the colours.
func TestColourIsOnlyColour(t *testing.T) {
	p := stall(t, "waits", "degrades", "fails")
	coloured := text(t, p, report.TextOptions{Colour: true})
	if !strings.Contains(coloured, "\x1b[") {
		t.Error("there are no colours")
	}
	if bare := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(coloured, ""); bare != text(t, p, report.TextOptions{}) {
		t.Error("the coloured text has other words")
	}
}

func TestTextInterrupted(t *testing.T) {
	p := stall(t, "waits", "degrades")
	p.Result.Interrupted = true
	if got := text(t, p, report.TextOptions{}); !strings.Contains(got, "interrupted in variant degrades") {
		t.Errorf("does not say that it was interrupted:\n%s", got)
	}
}

// A file must not steer the terminal: names are shown without control characters.
func TestTextEscapes(t *testing.T) {
	p := stall(t, "waits\x1b[2J", "b\r\nad")
	got := text(t, p, report.TextOptions{})
	if strings.ContainsAny(got, "\x1b\r") {
		t.Errorf("control characters in %q", got)
	}
}

// Without variants, as when the first one was never begun, there is little to
// say, but it is said.
func TestTextEmpty(t *testing.T) {
	p := stall(t, "waits")
	p.Result.Variants, p.Result.Expectations, p.Result.Interrupted = nil, nil, true
	if got := text(t, p, report.TextOptions{}); !strings.HasPrefix(got, "stall: ") {
		t.Error(got)
	}
}

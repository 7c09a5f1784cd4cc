package screen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stanch-go/stanch/internal/demo"
	"github.com/stanch-go/stanch/internal/golden"
)

func TestFrames(t *testing.T) {
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		for _, second := range []int{0, 4, 7, 9, 11, 20} {
			name := fmt.Sprintf("frame-%dx%d-%02d.txt", size.width, size.height, second)
			t.Run(name, func(t *testing.T) {
				got := frame{theme{}, size.width, size.height}.draw(reportAt(second))
				golden.Check(t, "testdata/"+name, trimmed(got))
			})
		}
	}
}

// Colours say nothing that the text does not.
func TestColoursAreExtra(t *testing.T) {
	for second := range 21 {
		plain := frame{theme{}, 80, 24}.draw(reportAt(second))
		coloured := frame{newTheme(true), 80, 24}.draw(reportAt(second))
		if plain == coloured {
			t.Error("there are no colours")
		}
		if ansi.Strip(coloured) != plain {
			t.Errorf("second %d: without its colours the frame is another", second)
		}
		if ansi.Strip(plain) != plain {
			t.Errorf("second %d: escape codes without colours", second)
		}
	}
}

func TestFrameFits(t *testing.T) {
	for second := range 21 {
		for _, size := range []struct{ width, height int }{{80, 24}, {100, 30}, {120, 40}, {250, 80}} {
			text := frame{theme{}, size.width, size.height}.draw(reportAt(second))
			if w, h := lipgloss.Size(text); w > size.width || h > size.height {
				t.Errorf("second %d: %dx%d in a terminal of %dx%d", second, w, h, size.width, size.height)
			}
		}
	}
}

// The longest words fit beside each other.
func TestLongWordsFit(t *testing.T) {
	r := reportAt(11)
	r.Held, r.Page = true, "http://127.0.0.1:65535/"
	for _, s := range []*demo.Service{&r.Bare, &r.Guarded} {
		s.Queued, s.Ticks[10].P99 = 999, 999*time.Millisecond
	}
	if w, h := lipgloss.Size((frame{theme{}, 80, 24}).draw(r)); w > 80 || h > 24 {
		t.Errorf("%dx%d in a terminal of 80x24", w, h)
	}
}

// A terminal too small, or of unknown size, is no reason to panic.
func TestFrameOfAnySize(t *testing.T) {
	for width := range 90 {
		for height := range 30 {
			if (frame{theme{}, width, height}).draw(reportAt(9)) == "" {
				t.Fatalf("nothing at %dx%d", width, height)
			}
		}
	}
}

// trimmed is without the blanks at the ends of lines, which editors take away.
func trimmed(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return out.String()
}

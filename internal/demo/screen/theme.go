package screen

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// A theme is how things look. The zero theme has no colours; nothing is said by
// colour alone.
type theme struct {
	strong, faint       lipgloss.Style
	live, degraded, bad lipgloss.Style
}

func newTheme(colour bool) theme {
	if !colour {
		return theme{}
	}
	plain := lipgloss.NewStyle()
	return theme{
		strong: plain.Bold(true), faint: plain.Faint(true),
		live:     plain.Foreground(lipgloss.Green),
		degraded: plain.Foreground(lipgloss.Yellow),
		bad:      plain.Foreground(lipgloss.Red),
	}
}

func (t theme) of(m mark) lipgloss.Style {
	switch m {
	case live:
		return t.live
	case degraded:
		return t.degraded
	case nobody:
		return t.bad
	}
	return lipgloss.Style{}
}

// pad fills up with blanks to a width, on the left when it is negative. It
// knows that styles take no room.
func pad(s string, width int) string {
	fill := strings.Repeat(" ", max(0, max(width, -width)-lipgloss.Width(s)))
	if width < 0 {
		return fill + s
	}
	return s + fill
}

package report

import "strings"

// A paint colours text for terminals, unless it is off.
type paint bool

const (
	red    = "31"
	green  = "32"
	yellow = "33"
	purple = "35"
	bold   = "1"
	faint  = "2"
)

var kindColour = map[string]string{"ok": green, "degraded": yellow, "failed": red, "refused": purple}

func (on paint) in(colour, text string) string {
	bare := strings.TrimRight(text, " ") // blanks stay outside, where a line can be trimmed
	if !on || bare == "" {
		return text
	}
	return "\x1b[" + colour + "m" + bare + "\x1b[0m" + text[len(bare):]
}

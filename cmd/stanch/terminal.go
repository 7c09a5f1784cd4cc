package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/stanch-go/stanch/sim/report"
)

// textOptions asks the terminal how wide it is and whether it shows colours.
// What is piped is 80 columns wide and has none.
func textOptions(w io.Writer) report.TextOptions {
	file, ok := terminal(w)
	if !ok {
		return report.TextOptions{}
	}
	o := report.TextOptions{Colour: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
	if width, _, err := term.GetSize(int(file.Fd())); err == nil {
		o.Width = width
	}
	return o
}

func terminal(w io.Writer) (*os.File, bool) {
	file, ok := w.(*os.File)
	return file, ok && term.IsTerminal(int(file.Fd()))
}

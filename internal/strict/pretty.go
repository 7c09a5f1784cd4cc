package strict

import (
	"fmt"
	"strings"
	"unicode"
)

// Pretty prints the faults as Error does, and under each the line of the file
// with a caret at the column. sources holds the files by the names that Parse
// was given; a fault in a file that is not there is printed without its line.
func (fs Faults) Pretty(sources map[string][]byte) string {
	if len(fs) == 0 {
		return ""
	}
	lines := map[string][]string{}
	for file, data := range sources {
		lines[file] = strings.Split(strings.TrimPrefix(string(data), byteOrderMark), "\n")
	}
	return fs.print(func(b *strings.Builder, f Fault) {
		b.WriteString(f.Error())
		if of := lines[f.File]; f.Line > 0 && f.Line <= len(of) && strings.TrimSpace(of[f.Line-1]) != "" {
			b.WriteByte('\n')
			b.WriteString(excerpt(of[f.Line-1], f.Line, f.Column))
		}
	}) + "\n"
}

// Of a long line, this many characters are shown before and after the caret.
const (
	shownBefore = 60
	shownAfter  = 60
)

func excerpt(line string, number, column int) string {
	text := []rune(strings.TrimSuffix(line, "\r"))
	at := min(max(column-1, 0), len(text))
	from, to := max(at-shownBefore, 0), min(at+shownAfter, len(text))
	before, after := "", ""
	if from > 0 {
		before = "..."
	}
	if to < len(text) {
		after = "..."
	}

	var shown, pad strings.Builder
	for i, r := range text[from:to] {
		if r != '\t' && !unicode.IsPrint(r) {
			r = unicode.ReplacementChar // a file must not steer the terminal
		}
		shown.WriteRune(r)
		if from+i < at {
			if r != '\t' {
				r = ' '
			}
			pad.WriteRune(r)
		}
	}
	margin := fmt.Sprintf("%5d", number)
	return fmt.Sprintf("%s | %s%s%s\n%*s | %*s%s^",
		margin, before, shown.String(), after,
		len(margin), "", len(before), "", pad.String())
}

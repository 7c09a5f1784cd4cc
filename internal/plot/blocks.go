package plot

import (
	"math"
	"strings"
	"time"
)

var blocks = []rune(" ▁▂▃▄▅▆▇█")

// Bar returns the block whose height is to the full one as x is to top. What is
// not zero is never blank.
func Bar(x, top float64) rune {
	if !(x > 0) || !(top > 0) {
		return blocks[0]
	}
	full := len(blocks) - 1
	return blocks[max(1, min(full, int(math.Round(x/top*float64(full)))))]
}

// Column returns the column of n in which an instant of a time axis lies.
func Column(at, end time.Duration, n int) int {
	if end <= 0 {
		return 0
	}
	return max(0, min(n-1, int(float64(at)/float64(end)*float64(n))))
}

// Ruler draws a time axis of n columns in two lines: the line, and its labels.
func Ruler(end time.Duration, n int) (line, labels string) {
	axis := []rune(strings.Repeat("─", n))
	text := []rune(strings.Repeat(" ", n))
	free := 0
	for _, at := range TimeTicks(end, max(2, n/9)) {
		if at == end && at > 0 {
			break // its label would stand outside
		}
		i := Column(at, end, n)
		axis[i] = '┬'
		label := []rune(Seconds(at))
		if i >= free && i+len(label) <= n {
			copy(text[i:], label)
			free = i + len(label) + 1
		}
	}
	return string(axis), strings.TrimRight(string(text), " ")
}

// Bracket draws a named span under a time axis of n columns.
func Bracket(s Span, name string, end time.Duration, n int) string {
	from := Column(s.From, end, n)
	to := max(from+1, Column(s.To-1, end, n))
	label := []rune(" " + name + " ")
	line := []rune("╰" + strings.Repeat("─", max(0, to-from-1)) + "╯")
	indent := strings.Repeat(" ", from)
	if free := len(line) - 2 - len(label); free >= 0 {
		copy(line[1+free/2:], label)
		return indent + string(line)
	}
	if from+len(line)+len(label) <= n+1 {
		return strings.TrimRight(indent+string(line)+string(label), " ")
	}
	if len(label) <= from {
		return indent[len(label):] + string(label) + string(line)
	}
	return indent + string(line)
}

package lint

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/stanch-go/stanch/internal/strict"
)

// times is n × d, plus is a + b. Both stop at never.
func times(n int, d time.Duration) time.Duration {
	if d > 0 && time.Duration(n) > never/d {
		return never
	}
	return time.Duration(n) * d
}

func plus(a, b time.Duration) time.Duration {
	if a > never-b {
		return never
	}
	return a + b
}

// span writes a duration as people do: 1m30s, 1.5s, 33ms.
func span(d time.Duration) string {
	switch {
	case d == never:
		return "for ever"
	case d >= time.Hour:
		d = d.Round(time.Second)
	case d >= time.Second:
		d = d.Round(10 * time.Millisecond)
	case d >= time.Millisecond:
		d = d.Round(10 * time.Microsecond)
	}
	return strict.Duration(d)
}

// number writes three digits that matter, and all of a whole number.
func number(x float64) string {
	switch {
	case math.IsInf(x, 0) || math.IsNaN(x):
		return "no end of"
	case math.Abs(x) >= 100:
		return strconv.FormatFloat(math.Round(x), 'f', 0, 64)
	case math.Abs(x) >= 1:
		return trim(strconv.FormatFloat(x, 'f', 1, 64))
	}
	return trim(strconv.FormatFloat(x, 'f', 3, 64))
}

func trim(s string) string { return strings.TrimSuffix(strings.TrimRight(s, "0"), ".") }

// perSecond is how many a second n give that each take so long.
func perSecond(n int, each time.Duration) float64 {
	if each == never {
		return 0
	}
	return float64(n) / each.Seconds()
}

// seconds makes a time of them, at most never.
func seconds(s float64) time.Duration {
	if !(s < never.Seconds()) {
		return never
	}
	return time.Duration(s * float64(time.Second))
}

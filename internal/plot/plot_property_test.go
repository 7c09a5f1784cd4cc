package plot_test

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/stanch-go/stanch/internal/plot"
)

// Nothing is lost or made up when values are spread over columns.
func TestResampleKeepsTheSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 1, 200).Draw(t, "values")
		n := rapid.IntRange(1, 300).Draw(t, "n")
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		got := 0.0
		for _, v := range plot.Resample(values, n) {
			got += v
		}
		if math.Abs(got-sum) > 1e-6*max(1, sum) {
			t.Fatalf("the sum is %v, was %v", got, sum)
		}
	})
}

// The axis is as wide as asked, and what is drawn under it stays under it.
func TestRulerFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end := time.Duration(rapid.Int64Range(1, int64(48*time.Hour)).Draw(t, "end"))
		n := rapid.IntRange(20, 200).Draw(t, "columns")
		line, labels := plot.Ruler(end, n)
		if got := utf8.RuneCountInString(line); got != n {
			t.Fatalf("the line has %d columns, want %d", got, n)
		}
		if got := utf8.RuneCountInString(labels); got > n {
			t.Fatalf("the labels have %d columns of %d: %s", got, n, labels)
		}
		from := time.Duration(rapid.Int64Range(0, int64(end)-1).Draw(t, "from"))
		to := time.Duration(rapid.Int64Range(int64(from)+1, int64(end)).Draw(t, "to"))
		bracket := plot.Bracket(plot.Span{From: from, To: to}, "fault", end, n)
		if got := utf8.RuneCountInString(bracket); got > n+1 {
			t.Fatalf("the bracket has %d columns of %d: %s", got, n, bracket)
		}
		if !strings.Contains(bracket, "╰") || !strings.Contains(bracket, "╯") {
			t.Fatalf("no bracket: %s", bracket)
		}
	})
}

// Ticks begin at 0, rise, do not go beyond the end and are few.
func TestTicksAreFew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := rapid.Float64Range(1e-6, 1e12).Draw(t, "top")
		ticks := plot.Ticks(top, 4)
		if len(ticks) < 2 || len(ticks) > 5 || ticks[0] != 0 || ticks[len(ticks)-1] > top*1.001 {
			t.Fatalf("ticks up to %v: %v", top, ticks)
		}
		end := time.Duration(rapid.Int64Range(1, int64(365*24*time.Hour)).Draw(t, "end"))
		times := plot.TimeTicks(end, 8)
		if len(times) > 9 || times[0] != 0 || times[len(times)-1] > end {
			t.Fatalf("ticks up to %v: %v", end, times)
		}
	})
}

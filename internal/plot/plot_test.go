package plot_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/plot"
)

func TestResample(t *testing.T) {
	for _, c := range []struct {
		values []float64
		n      int
		want   []float64
	}{
		{[]float64{1, 2, 3, 4}, 2, []float64{3, 7}},
		{[]float64{1, 2, 3, 4}, 4, []float64{1, 2, 3, 4}},
		{[]float64{4, 8}, 4, []float64{2, 2, 4, 4}},
		{[]float64{3, 3, 3}, 2, []float64{4.5, 4.5}},
		{nil, 2, []float64{0, 0}},
		{[]float64{1}, 0, []float64{}},
	} {
		if got := plot.Resample(c.values, c.n); !slices.Equal(got, c.want) {
			t.Errorf("Resample(%v, %d) = %v, want %v", c.values, c.n, got, c.want)
		}
	}
}

func TestPeaks(t *testing.T) {
	if got := plot.Peaks([]float64{1, 9, 3, 2}, 2); !slices.Equal(got, []float64{9, 3}) {
		t.Error(got)
	}
	if got := plot.Peaks([]float64{1, 9, 3}, 2); !slices.Equal(got, []float64{9, 9}) {
		t.Error("a level that two columns touch belongs to both:", got)
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		top  float64
		want []float64
	}{
		{700, []float64{0, 200, 400, 600}},
		{1, []float64{0, 0.5, 1}},
		{20, []float64{0, 5, 10, 15, 20}},
		{0, []float64{0}},
		{math.NaN(), []float64{0}},
		{math.Inf(1), []float64{0}},
	} {
		if got := plot.Ticks(c.top, 4); !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("Ticks(%v) = %v, want %v", c.top, got, c.want)
		}
	}
	if got := plot.LogTicks(1, 10000); !slices.Equal(got, []float64{1, 10, 100, 1000, 10000}) {
		t.Error(got)
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 500 * time.Millisecond: "0.5s", 8 * time.Second: "8s", 2125 * time.Millisecond: "2.125s",
		time.Minute: "1m", 10 * time.Minute: "10m", 90 * time.Second: "1m30s", 2 * time.Hour: "2h",
		90 * time.Minute: "1h30m", time.Hour + 10*time.Second: "1h0m10s",
	} {
		if got := plot.Seconds(d); got != want {
			t.Errorf("Seconds(%v) = %s, want %s", d, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.5: "0.5", 750: "750", 9999: "9999", 10000: "10k", 62700: "62.7k"} {
		if got := plot.Number(x); got != want {
			t.Errorf("Number(%v) = %s, want %s", x, got, want)
		}
	}
}

func TestBar(t *testing.T) {
	for _, c := range []struct {
		x, top float64
		want   rune
	}{{0, 8, ' '}, {0.01, 8, '▁'}, {4, 8, '▄'}, {8, 8, '█'}, {99, 8, '█'}, {1, 0, ' '}, {math.NaN(), 8, ' '}} {
		if got := plot.Bar(c.x, c.top); got != c.want {
			t.Errorf("Bar(%v, %v) = %c, want %c", c.x, c.top, got, c.want)
		}
	}
}

func TestRulerAndBracket(t *testing.T) {
	line, labels := plot.Ruler(8*time.Second, 40)
	if want := "┬─────────┬─────────┬─────────┬─────────"; line != want {
		t.Errorf("\n%s, want\n%s", line, want)
	}
	if want := "0s        2s        4s        6s"; labels != want {
		t.Errorf("\n%s, want\n%s", labels, want)
	}
	second := time.Second
	for _, c := range []struct {
		from, to time.Duration
		want     string
	}{
		{2 * second, 6 * second, "          ╰───── fault ──────╯"},
		{0, second, "╰───╯ fault"},
		{7 * second, 8 * second, "                             fault ╰───╯"},
		{3 * second, 3*second + 1, "               ╰╯ fault"},
	} {
		if got := plot.Bracket(plot.Span{From: c.from, To: c.to}, "fault", 8*second, 40); got != c.want {
			t.Errorf("%v to %v:\n%s, want\n%s", c.from, c.to, got, c.want)
		}
	}
}

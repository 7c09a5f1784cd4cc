package ratelimit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/internal/plot"
	"github.com/stanch-go/stanch/ratelimit"
)

// The picture is for review by eye: what each limiter makes of the same traffic.
// The fixed window is there for comparison.
func TestPicture(t *testing.T) {
	const columns, step = 60, 3 * second // of 3 s each
	traffic := func(now int64) int {     // calls at each tenth of a second
		switch at := now / (second / 10); {
		case at >= 595 && at < 605: // around the turn of the minute
			return 20
		case at >= 1200: // all the time twice what is allowed
			return int(at%3) / 2
		}
		return 0
	}
	const perColumn = float64(step) / float64(60*second) * 100
	var out strings.Builder
	fmt.Fprintf(&out, "100 a minute; a full block is twice that rate and more; most: in any second, in any minute\n\n")
	row := func(name string, allow func(now int64) bool) {
		var passed [columns]float64
		var each []float64
		for now := int64(0); now < columns*step; now += second / 10 {
			n := 0.0
			for range traffic(now) {
				if allow(now) {
					n++
				}
			}
			each = append(each, n)
			passed[now/step] += n
		}
		var bars strings.Builder
		for _, n := range passed {
			bars.WriteRune(plot.Bar(min(n, 2*perColumn), 2*perColumn))
		}
		fmt.Fprintf(&out, "%-16s %s %4.0f %4.0f\n", name, bars.String(), most(each, 10), most(each, 600))
	}
	row("offered", func(int64) bool { return true })
	fixed := &fixedWindow{limit: 100, window: 60 * second}
	row("fixed window", func(now int64) bool { return fixed.AllowAt(now, 1).OK })
	for _, c := range []ratelimit.Config{
		{Algorithm: ratelimit.TokenBucket},
		{Algorithm: ratelimit.TokenBucket, Burst: 10},
		{Algorithm: ratelimit.LeakyMeter},
		{Algorithm: ratelimit.LeakyShaper},
		{Algorithm: ratelimit.SlidingLog},
		{Algorithm: ratelimit.SlidingCounter},
	} {
		c.Rate, c.Window = 100, time.Minute
		name := string(c.Algorithm)
		if c.Burst > 0 {
			name = fmt.Sprintf("  burst %v", c.Burst)
		}
		l := must(ratelimit.New(c))
		row(name, func(now int64) bool { return l.AllowAt(now, 1).OK })
	}
	line, labels := plot.Ruler(columns*time.Duration(step), columns)
	fmt.Fprintf(&out, "%-16s %s\n%-16s %s\n", "", line, "", labels)

	golden.Check(t, "testdata/limiters.golden", out.String())
}

// most is the largest sum of n neighbours.
func most(each []float64, n int) float64 {
	sum, top := 0.0, 0.0
	for i, x := range each {
		sum += x
		if i >= n {
			sum -= each[i-n]
		}
		top = max(top, sum)
	}
	return top
}

package page

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/stanch-go/stanch/proxy"
	"github.com/stanch-go/stanch/proxy/admin/history"
)

// A cell is one figure of a dependency.
type cell struct {
	ID, Text string
	Class    string
	Left     bool
}

// nothing stands where there is no figure.
const nothing = "–"

func cells(s proxy.DependencyStatus, now history.Now) []cell {
	all := []cell{
		{ID: "breaker", Text: orNothing(s.Breaker), Class: stateClass[s.Breaker], Left: true},
		{ID: "rate", Text: figure(now.Rate)},
		{ID: "live", Text: percent(now.Live)},
		{ID: "degraded", Text: percent(now.Degraded)},
		{ID: "p50", Text: milliseconds(now.P50)},
		{ID: "p99", Text: milliseconds(now.P99)},
		{ID: "flight", Text: strconv.Itoa(s.InFlight + s.Tunnels)},
		{ID: "bulkhead", Text: nothing},
		{ID: "budget", Text: nothing},
		{ID: "fault", Text: nothing, Left: true},
	}
	if now.Live < 0.99 {
		all[2].Class = "bad"
	}
	if b := s.Bulkhead; b != nil {
		all[7].Text = fmt.Sprintf("%d of %d", b.InFlight, b.Limit)
		if b.Waiting > 0 {
			all[7].Text += fmt.Sprintf(", %d wait", b.Waiting)
		}
		if b.InFlight >= b.Limit {
			all[7].Class = "warn"
		}
	}
	if s.Balance != nil {
		all[8].Text = figure(*s.Balance)
		if *s.Balance < 1 {
			all[8].Class = "warn"
		}
	}
	if s.Fault != nil {
		all[9].Text, all[9].Class = s.Fault.String(), "bad"
	}
	return all
}

var stateClass = map[string]string{
	"closed": "good", "half-open": "warn", "open": "bad", "forced-open": "bad", "forced-closed": "warn",
}

func orNothing(text string) string {
	if text == "" {
		return nothing
	}
	return text
}

// figure writes three digits, and what is before the point.
func figure(x float64) string {
	switch {
	case math.IsNaN(x):
		return nothing
	case math.Abs(x) >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// percent writes a share. What is not all does not read 100 %.
func percent(share float64) string {
	if math.IsNaN(share) {
		return nothing
	}
	if share > 0.999 && share < 1 {
		return "> 99.9 %"
	}
	return strconv.FormatFloat(math.Round(share*1000)/10, 'f', -1, 64) + " %"
}

func milliseconds(ms float64) string {
	if math.IsNaN(ms) {
		return nothing
	}
	if ms >= 1000 {
		return time.Duration(ms * 1e6).Round(10 * time.Millisecond).String()
	}
	return figure(ms) + " ms"
}

package screen

import (
	"fmt"
	"time"

	"github.com/stanch-go/stanch/internal/demo"
)

// weather says in words how the dependency is.
func weather(c demo.Config, at time.Duration) string {
	switch {
	case c.Stalls(at):
		return fmt.Sprintf("the dependency stalls: every call takes %s", short(c.Slow))
	case at >= c.StallAt:
		return fmt.Sprintf("the dependency is well again: a call takes %s", short(c.Quick))
	}
	return fmt.Sprintf("the dependency is well: a call takes %s", short(c.Quick))
}

// state says in words how the users of a service fare.
func state(c demo.Config, s demo.Service) (words string, m mark) {
	last := s.Last()
	switch {
	case s.Quiet >= c.Tick/2:
		return "has answered nobody for " + short(s.Quiet), nobody
	case s.Queued > c.Workers:
		return "answers again, after users waited " + short(last.P99), degraded
	case last.Failed > 0:
		return fmt.Sprintf("failed %d users in the last second", last.Failed), nobody
	case last.Degraded > 0:
		return "answers everybody, now by fallback", degraded
	}
	return "answers everybody", live
}

// short writes a time as people say it: 32ms, 5.0s, 20s.
func short(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < 10*time.Second && d%time.Second != 0:
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return fmt.Sprintf("%.0fs", d.Seconds())
}

// some is a time, or a dash where nothing was measured.
func some(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return short(d)
}

package lint

import (
	"fmt"
	"math"
	"time"

	"github.com/stanch-go/stanch/breaker"
)

// reach is the most calls that a window of the breaker can hold while the
// dependency hangs, and why it is not more. Without a window of time, or when
// nothing is known, there is no bound.
func (c *call) reach() (why string, most int) {
	b := c.Breaker
	if b.Calls > 0 {
		return "", math.MaxInt
	}
	most = math.MaxInt
	if rate, _ := c.world.file.Service.Rates.Get(c.name); rate > 0 {
		perCall := 1
		if b.Counts == breaker.CountsAttempts && !c.budgeted() {
			perCall = c.attempts()
		}
		if n := whole(rate * float64(perCall) * b.Window.Seconds()); n < most {
			most = n
			why = fmt.Sprintf("%d calls fall into a window of %s at %s a second", n, span(b.Window), number(rate))
			if perCall > 1 {
				why = fmt.Sprintf("%d attempts fall into a window of %s at %s calls a second of %d attempts each", n, span(b.Window), number(rate), perCall)
			}
		}
	}
	places, cycle := c.places(), plus(c.attempt(), c.Bulkhead.Linger)
	if places > 0 && cycle != never {
		if n := whole(float64(places) * float64(ends(b.Window, cycle))); n < most {
			most = n
			why = fmt.Sprintf("%d places that a hanging call takes for %s each let %d end in a window of %s", places, span(cycle), n, span(b.Window))
		}
	}
	return why, most
}

// ends is how often something that takes so long can end within a window.
func ends(window, each time.Duration) int64 { return int64(window/max(each, 1)) + 1 }

// whole rounds down and stops at the largest int.
func whole(x float64) int {
	if !(x < math.MaxInt64) {
		return math.MaxInt
	}
	return int(x)
}

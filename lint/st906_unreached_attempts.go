package lint

import (
	"fmt"
	"time"

	"github.com/stanch-go/stanch/retry"
)

var unreachedAttempts = &Rule{
	Code: "ST906", Title: "Attempts that the time never reaches", Severity: Warning,
	Why: `Even if each attempt failed at once, the waits between them would take longer than the call may. The number of attempts that the file gives is then not the one that is made, and whoever reckons with it reckons wrongly.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 200ms, total: 1s}
    retry: {attempts: 5, base: 200ms, jitter: equal}
    budget: {kind: earning}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 200ms, total: 1s}
    retry: {attempts: 3, base: 200ms, jitter: equal}
    budget: {kind: earning}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			total, by := c.shared()
			n, waited := c.reached(total)
			if c.retries() && n < c.attempts() {
				p.report(c.firstGiven("retry.attempts", "retry.base", "timeout.total"),
					fmt.Sprintf("the waits before attempt %d take at least %s, and %s is %s", n+1, span(waited), by, span(total)),
					fmt.Sprintf("take %d attempts, or shorten retry.base", n))
			}
		}
	},
}

// reached is how many attempts begin within the time at most, when each fails
// at once, and how long the waits before the next one are at least.
func (c *call) reached(total time.Duration) (n int, waited time.Duration) {
	n = 1
	for most := range c.Retry.Waits() {
		waited = plus(waited, c.leastWait(most))
		if waited > 0 && plus(waited, c.Timeout.Useful) >= total {
			return n, waited
		}
		n++
	}
	return n, waited
}

// leastWait is the least that jitter makes of a wait.
func (c *call) leastWait(most time.Duration) time.Duration {
	switch c.Retry.Jitter {
	case retry.None:
		return most
	case retry.Equal:
		return most / 2
	case retry.Decorrelated:
		return min(c.Retry.Base, c.Retry.Cap)
	}
	return 0
}

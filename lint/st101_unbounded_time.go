package lint

import (
	"fmt"
	"time"
)

var unboundedTime = &Rule{
	Code: "ST101", Title: "Nothing ends a call that hangs", Severity: Error,
	Why: `Every worker that meets the hang is gone until the dependency lets go of it. Measured with 20 workers and a dependency that took 5 s a call for 3 s: no answer at all for 5 s without a timeout, 80 a second and more with one of 200 ms.`,
	Bad: `dependencies:
  recommend:
    url: http://recommend:8080
`,
	Good: `dependencies:
  recommend:
    url: http://recommend:8080
    timeout: {attempt: 300ms, total: 600ms}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if c.attempt() == never {
				p.report(c.at("timeout"), "neither timeout.attempt nor timeout.total is set, so a call may take for ever",
					"set timeout.attempt, two to three times the p99 latency"+c.about(3))
			}
		}
	},
}

// about gives a time limit of n times the p99 latency, where that is known.
func (c *call) about(n int) string {
	if c.P99 == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s, so %s)", span(c.P99), span(time.Duration(n)*c.P99))
}

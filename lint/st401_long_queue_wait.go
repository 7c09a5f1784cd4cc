package lint

import "fmt"

var longQueueWait = &Rule{
	Code: "ST401", Title: "Waiting for a place takes as long as the call", Severity: Warning,
	Why: `A queue smooths a burst; one in which calls wait as long as they may run only moves the pile-up, and holds workers that the bulkhead was to keep free. A place that is not free within about the p99 latency will not be free soon.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 200ms, total: 400ms}
    bulkhead: {limit: 10, queue: 10, max_wait: 200ms}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 200ms, total: 400ms}
    bulkhead: {limit: 10, queue: 10, max_wait: 50ms}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if w := c.queueWait(); w > 0 && w >= c.attempt() {
				p.report(c.firstGiven("bulkhead.max_wait", "timeout.attempt"),
					fmt.Sprintf("a call may wait %s for a place, and an attempt runs for %s at most", span(w), span(c.attempt())),
					fmt.Sprintf("set bulkhead.max_wait well below that, %s for instance", span(c.attempt()/4)))
			}
		}
	},
}

package lint

import "fmt"

var noTimeForRetry = &Rule{
	Code: "ST107", Title: "An attempt that hangs leaves no time for the retry", Severity: Warning,
	Why: `The retries then help only against failures that come quickly, and not against the slowness that they are there for. Envoy ignores a per-try timeout at or above the timeout of the whole without a word; a retry needs an attempt that ends before the budget does.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 1s, total: 1s}
    retry: {attempts: 2}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 450ms, total: 1s}
    retry: {attempts: 2}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			total, by := c.shared()
			if !c.retries() || total == never || c.attempt() < total {
				continue
			}
			text := fmt.Sprintf("one attempt may take all %s of %s, so that no other is made after it", span(total), by)
			if c.Timeout.Attempt == 0 {
				text = "without a limit of its own " + text
			}
			p.report(c.firstGiven("timeout.attempt", "timeout.total", "retry.attempts"), text,
				fmt.Sprintf("set timeout.attempt to at most %s", span(total/2)))
		}
	},
}

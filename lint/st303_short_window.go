package lint

import "fmt"

var shortWindow = &Rule{
	Code: "ST303", Title: "The breaker's window is shorter than one failing call", Severity: Warning,
	Why: `What failed at the beginning of the call has left the window when its last attempt fails, so that the failures of a slow dependency never come together. Polly demands twice the timeout of an attempt; the retries count as well.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 3s, total: 8s, connect: 500ms}
    retry: {attempts: 2}
    budget: {kind: earning}
    breaker: {window: 5s}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 3s, total: 8s, connect: 500ms}
    retry: {attempts: 2}
    budget: {kind: earning}
    breaker: {window: 30s}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			b, worst := c.Breaker, c.worst()
			if b.Enabled() && b.Calls == 0 && b.Consecutive == 0 && worst != never && b.Window < worst {
				p.report(c.firstGiven("breaker.window", "breaker"),
					fmt.Sprintf("the window is %s, and one failing call takes up to %s", span(b.Window), span(worst)),
					fmt.Sprintf("lengthen it to %s or more, or add breaker.consecutive", span(times(2, worst))))
			}
		}
	},
}

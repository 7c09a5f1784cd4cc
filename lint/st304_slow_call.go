package lint

import "fmt"

var slowNeverCounted = &Rule{
	Code: "ST304", Title: "Slow calls are never counted as slow", Severity: Warning,
	Why: `At the timeout a call has failed already; none is ever slower. A threshold at or above it makes slow_ratio a protection that does not exist, and the dependency that answers just in time holds the workers unnoticed.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 300ms}
    breaker: {slow_call: 300ms, slow_ratio: 0.5}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 300ms}
    breaker: {slow_call: 200ms, slow_ratio: 0.5}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if s := c.Breaker.SlowCall; s > 0 && s >= c.judged() {
				p.report(c.at("breaker.slow_call"),
					fmt.Sprintf("%s is not below %s, after which a call has failed", span(s), span(c.judged())),
					fmt.Sprintf("set it below the timeout, %s for instance", span(c.judged()*2/3)))
			}
		}
	},
}

package lint

import "fmt"

var slowFallback = &Rule{
	Code: "ST504", Title: "The alternative may take longer than the call that it stands in for", Severity: Warning,
	Why: `The worker that the timeout freed is held again, by what was to be the quick way out. An alternative is read from memory or made on the spot: 50 ms is already generous.`,
	Bad: `dependencies:
  recommend:
    timeout: {attempt: 300ms}
    fallback: {timeout: 1s, empty: array}
`,
	Good: `dependencies:
  recommend:
    timeout: {attempt: 300ms}
    fallback: {timeout: 50ms, empty: array}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if t := c.Fallback.Timeout; c.given("fallback.timeout") && t > c.attempt() {
				p.report(c.at("fallback.timeout"),
					fmt.Sprintf("an alternative has %s, and an attempt at the live answer %s", span(t), span(c.attempt())),
					"remove the key: 50ms is the default")
			}
		}
	},
}

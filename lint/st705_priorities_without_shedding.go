package lint

var prioritiesWithoutShedding = &Rule{
	Code: "ST705", Title: "Priorities, and nothing is ever shed", Severity: Warning,
	Why: `Priorities decide who is refused, and without a bound of what is in flight nobody is. In a model with five times the load that can be done, 99.5 % of the critical requests are served behind a limit; without one all wait in the same line, the important ones among them.`,
	Bad: `inbound:
  priorities: {routes: {/export: sheddable}}
`,
	Good: `inbound:
  priorities: {routes: {/export: sheddable}}
  concurrency: {limit: 64}
`,
	Check: func(p *Pass) {
		if p.file.Inbound == nil || p.bounded() {
			return
		}
		for _, key := range []string{"routes", "default", "trust"} {
			if path := "inbound.priorities." + key; p.given(path) {
				p.report(path, "has no effect: any number of requests is let in, so none is refused for its priority",
					"set inbound.concurrency.limit, or concurrency: {adaptive: {}}")
			}
		}
	},
}

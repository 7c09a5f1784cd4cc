package lint

var noBreaker = &Rule{
	Code: "ST308", Title: "No breaker refuses calls while the dependency is down", Severity: Info,
	Why: `Every call waits for its timeout, for as long as the fault lasts. Measured with 25 workers and 150 requests a second while a dependency took 2 s: 36.2 % of the users were turned away without a breaker and 3.5 % with one, which the others waited 0 ms for instead of 774.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 200ms}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 200ms}
    breaker: {consecutive: 5}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			switch {
			case !c.Breaker.Enabled():
				p.report(c.at("breaker"), "there is no breaker", "add one, {consecutive: 5} for instance")
			case c.Breaker.Dark:
				p.report(c.at("breaker.dark"), "the breaker only reports, and refuses nothing", "remove the key once its decisions are trusted")
			}
		}
	},
}

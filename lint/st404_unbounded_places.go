package lint

var unboundedPlaces = &Rule{
	Code: "ST404", Title: "Nothing bounds how many calls run at once", Severity: Warning,
	Why: `A dependency that becomes slow then holds every worker, connection and byte that the service has, and is itself buried: with a timeout alone it had 320 calls in hand in an experiment in which 20 was all that the service could use. A limit on the rate is no limit on this: 100 calls a second that take 2 s are 200 at once.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 200ms}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 200ms}
    bulkhead: {limit: 20}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if c.places() == 0 {
				p.report(c.at("bulkhead"), "there is no bulkhead", "set bulkhead.limit to about twice the calls that run at once in good times, or give it a share of a pool")
			}
		}
	},
}

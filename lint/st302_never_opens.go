package lint

import "fmt"

var neverOpens = &Rule{
	Code: "ST302", Title: "The breaker never sees enough calls to open", Severity: Warning,
	Why: `A minimum of calls that the window cannot hold switches the breaker off, and nothing shows it until the incident: one such breaker stayed closed through 75 s of total failure (external_service issue 112). What fits into the window is the declared rate times the window, and while the dependency hangs also the places of the bulkhead by the time each is held.`,
	Bad: `service: {rates: {profile: 1}}
dependencies:
  profile:
    timeout: {attempt: 200ms}
    breaker: {window: 10s, min_calls: 20}
`,
	Good: `service: {rates: {profile: 1}}
dependencies:
  profile:
    timeout: {attempt: 200ms}
    breaker: {window: 10s, min_calls: 20, consecutive: 5}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			b := c.Breaker
			why, most := c.reach()
			if b.Enabled() && b.Consecutive == 0 && most < b.MinCalls {
				p.report(c.firstGiven("breaker.min_calls", "breaker.window", "breaker"),
					fmt.Sprintf("%s, and min_calls is %d", why, b.MinCalls),
					"add breaker.consecutive, 5 for instance, which needs no window; or lengthen the window, or lower min_calls")
			}
		}
	},
}

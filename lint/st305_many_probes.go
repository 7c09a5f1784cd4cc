package lint

import "fmt"

// manyProbes are as good as no limit.
const manyProbes = 10

var tooManyProbes = &Rule{
	Code: "ST305", Title: "Too many probes while half-open", Severity: Warning,
	Why: `A dependency that is not back yet gets the full load at once, and falls again. A few probes tell as much: three are enough, and their success lets the load return by a ramp.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 200ms}
    breaker: {probes: 100}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 200ms}
    breaker: {probes: 3, ramp: 150ms}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			n, places := c.Breaker.Probes, c.places()
			switch at := c.at("breaker.probes"); {
			case n > manyProbes:
				p.report(at, fmt.Sprintf("%d probes at once are as good as no limit", n), "take 3")
			case places > 0 && n >= places && c.given("breaker.probes"):
				p.report(at, fmt.Sprintf("%d probes at once are as many as the bulkhead ever lets through (%d)", n, places), "take fewer, 3 for instance")
			}
		}
	},
}

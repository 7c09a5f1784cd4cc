package lint

import "fmt"

var rateAboveBulkhead = &Rule{
	Code: "ST406", Title: "A rate that the bulkhead never lets through", Severity: Warning,
	Why: `Places by the time each is held is what goes through (Little, 1961), so the rate is never reached and protects nobody. Ten places that a call holds for 50 ms let 200 calls a second through; a rate of 500 beside them looks like the limit of the contract and is none.`,
	Bad: `dependencies:
  profile:
    p50: 50ms
    timeout: {attempt: 200ms}
    bulkhead: {limit: 10}
    rate: {rate: 500}
`,
	Good: `dependencies:
  profile:
    p50: 50ms
    timeout: {attempt: 200ms}
    bulkhead: {limit: 10}
    rate: {rate: 100}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			rate := c.startsPerSecond()
			if most := perSecond(c.places(), max(c.P50, 1)); c.P50 > 0 && c.places() > 0 && rate > most {
				p.report(c.at("rate.rate"), fmt.Sprintf("is %s a second, and %d places that a call holds for %s let %s through", number(rate), c.places(), span(c.P50), number(most)),
					fmt.Sprintf("set it to what the dependency allows, below %s, or remove it", number(most)))
			}
		}
	},
}

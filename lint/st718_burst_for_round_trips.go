package lint

import (
	"fmt"

	"github.com/stanch-go/stanch/quota"
)

var burstForRoundTrips = &Rule{
	Code: "ST718", Title: "A small burst makes a leased quota ask often", Severity: Info,
	Why: `A slice lasts a quarter of the time in which the burst flows in, so that nothing spills meanwhile. Fifty instances made one round trip for 102 requests with a burst of a second's worth, and one for 12 with a burst of 100 ms' worth.`,
	Bad: `inbound:
  quotas: {tenant: {by: tenant, mode: leased, rate: 1000, burst: 100, instances: 50, store: "redis://cache:6379"}}
`,
	Good: `inbound:
  quotas: {tenant: {by: tenant, mode: leased, rate: 1000, burst: 1000, instances: 50, store: "redis://cache:6379"}}
`,
	Check: func(p *Pass) {
		for _, t := range p.takings() {
			if t.shared() && t.quota.Mode == quota.ModeLeased && p.given(t.at("burst")) && t.burst < t.rate {
				p.report(t.at("burst"), fmt.Sprintf("flows in within %s, so a slice lasts %s at most", span(seconds(t.burst/t.rate)), span(seconds(t.burst/t.rate/4))),
					fmt.Sprintf("set it to %s, what a second brings, if so much may come at once", number(t.rate)))
			}
		}
	},
}

package lint

import (
	"fmt"
	"time"
)

var slowStore = &Rule{
	Code: "ST713", Title: "The wait for a quota takes much of the time that a request has", Severity: Warning,
	Why: `When the store hangs every request waits so long before it is decided on, until the breaker around the store is open. envoyproxy/ratelimit once waited 10 s for Redis (its issue 978), which is longer than any caller. A store that is there answers in a millisecond.`,
	Bad: `inbound:
  deadline: 200ms
  quotas: {tenant: {by: tenant, mode: central, rate: 100, instances: 8, timeout: 150ms, store: "redis://cache:6379"}}
`,
	Good: `inbound:
  deadline: 200ms
  quotas: {tenant: {by: tenant, mode: central, rate: 100, instances: 8, timeout: 20ms, store: "redis://cache:6379"}}
`,
	Check: func(p *Pass) {
		d, key := p.time()
		for _, t := range p.takings() {
			if d > 0 && t.shared() && t.quota.Timeout > d/4 {
				p.report(t.at("timeout"), fmt.Sprintf("is %s, more than a quarter of the %s of %s", span(t.quota.Timeout), span(d), key),
					fmt.Sprintf("bring it to %s or less", span(max(roundDown(d.Seconds()/10), time.Millisecond))))
			}
		}
	},
}

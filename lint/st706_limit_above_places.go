package lint

import (
	"fmt"

	"github.com/stanch-go/stanch/inbound"
)

var limitAbovePlaces = &Rule{
	Code: "ST706", Title: "A limit is above what the places let through", Severity: Warning,
	Why: `One tenant alone can then have all of the service, and the limit is reached only by requests that are refused anyway. 64 places that a request holds for 100 ms let 640 a second through (Little, 1961), so a limit of 1000 keeps nobody from taking all of them.`,
	Bad: `service: {rates: {requests: 300, profile: 300}}
inbound:
  limits: {tenant: {by: tenant, rate: 1000}}
  concurrency: {limit: 64}
dependencies:
  profile: {class: core_read, p50: 100ms, p99: 200ms, bulkhead: {limit: 64}}
`,
	Good: `service: {rates: {requests: 300, profile: 300}}
inbound:
  limits: {tenant: {by: tenant, rate: 100}}
  concurrency: {limit: 64}
dependencies:
  profile: {class: core_read, p50: 100ms, p99: 200ms, bulkhead: {limit: 64}}
`,
	Check: func(p *Pass) {
		can, known := p.capacity()
		for _, t := range p.takings() {
			if rate := p.here(t); known && p.bounded() && rate > can.perSecond {
				who := "everyone together"
				if t.by != inbound.Everyone {
					who = "one " + string(t.by)
				}
				p.report(t.at("rate"),
					fmt.Sprintf("lets %s have %s requests/s of this instance, and it can do about %s: %s", who, number(rate), number(can.perSecond), can.words),
					"lower it to the share that one may have, or remove it")
			}
		}
	},
}

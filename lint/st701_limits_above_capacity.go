package lint

import (
	"fmt"
	"strings"
)

var limitsAboveCapacity = &Rule{
	Code: "ST701", Title: "The limits together let in more than the service can do", Severity: Warning,
	Why: `A limit that is above the capacity protects nobody when everybody uses it. What can be done a second is places by the time each is held (Little, 1961): 20 workers that a request holds for 50 ms do 400. Limits of 1000 a second let in what fills every queue behind them. The rule adds up what the file tells the sharers of: one for limits by everyone, service.tenants for those by tenant; it is silent where inbound.concurrency sheds what is too much, for then limits may promise more than all can have at once.`,
	Bad: `service: {workers: 20, tenants: 50, rates: {requests: 200, profile: 200}}
inbound:
  limits: {tenant: {by: tenant, rate: 20}}
dependencies:
  profile: {class: core_read, p50: 50ms, p99: 80ms, bulkhead: {limit: 20}}
`,
	Good: `service: {workers: 20, tenants: 50, rates: {requests: 200, profile: 200}}
inbound:
  limits: {tenant: {by: tenant, rate: 20}}
  concurrency: {limit: 20}
dependencies:
  profile: {class: core_read, p50: 50ms, p99: 80ms, bulkhead: {limit: 20}}
`,
	Check: func(p *Pass) {
		rate, by := p.letIn()
		can, known := p.capacity()
		if !known || rate <= can.perSecond || p.bounded() {
			return
		}
		path := by
		if by = "by " + by; !strings.HasPrefix(path, "inbound.") {
			path = "inbound.limits"
			by = "by " + path + " and inbound.quotas together"
		}
		p.report(path, fmt.Sprintf("%s requests/s are let in %s, and it can do about %s: %s", number(rate), by, number(can.perSecond), can.words),
			"bound what is in flight with inbound.concurrency, or lower the rate")
	},
}

package lint

import (
	"fmt"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/quota"
)

var fewKeys = &Rule{
	Code: "ST714", Title: "More tenants are declared than have a state of their own", Severity: Warning,
	Why: `Those beyond share the limit of a single one, or with leased are asked for one by one. A tenant needs a state only while its bucket is not full, so fewer keys can do; which of them find a place is then chance. A key takes 28 bytes: a million of them 28 MB.`,
	Bad: `service: {tenants: 50000}
inbound:
  limits: {tenant: {by: tenant, rate: 100}}
`,
	Good: `service: {tenants: 50000}
inbound:
  limits: {tenant: {by: tenant, rate: 100, keys: 60000}}
`,
	Check: func(p *Pass) {
		n := p.file.Service.Tenants
		for _, t := range p.takings() {
			if t.by != inbound.Tenant || t.keys == 0 || t.keys >= n || t.quota != nil && t.quota.Mode == quota.ModeCentral {
				continue
			}
			then := "the others share one"
			if t.shared() {
				then = "the others cost a round trip for each request"
			}
			p.report(t.at("keys"), fmt.Sprintf("%d tenants have a state, and service.tenants is %d: when all are busy %s", t.keys, n, then),
				fmt.Sprintf("set it to %d or more", n))
		}
	},
}

package lint

import (
	"fmt"
	"slices"

	"github.com/stanch-go/stanch/inbound"
)

var limitPerInstance = &Rule{
	Code: "ST702", Title: "A limit is for each instance, and there are several", Severity: Info,
	Why: `What a tenant gets is the rate times the instances, and one more deployment changes it. Fifty instances with a limit of 10 000 a second each let in up to half a million. As a guard of the instance that is right, and as what a customer has bought it is not: a quota is one for all of them.`,
	Bad: `service: {instances: 8}
inbound:
  limits: {tenant: {by: tenant, rate: 100}}
`,
	Good: `service: {instances: 8}
inbound:
  limits: {tenant: {by: tenant, rate: 100}}
  quotas: {tenant-all: {by: tenant, mode: leased, rate: 100, instances: 8, store: "redis://cache:6379"}}
`,
	Check: func(p *Pass) {
		n := p.file.Service.Instances
		all := p.takings()
		for _, t := range all {
			together := slices.ContainsFunc(all, func(o taking) bool { return o.shared() && o.by == t.by && covers(o.route, t.route) })
			if n > 1 && t.quota == nil && t.by != inbound.Everyone && !together {
				p.report(t.at("rate"),
					fmt.Sprintf("each of %d instances lets in %s of one %s, all together %s", n, t.admits(1), t.by, t.admits(n)),
					"make it a quota in mode leased or central, or keep it and allow this finding if the instance is what it guards")
			}
		}
	},
}

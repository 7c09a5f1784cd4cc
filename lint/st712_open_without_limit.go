package lint

import (
	"slices"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/quota"
)

var openWithoutLimit = &Rule{
	Code: "ST712", Title: "Without its store a quota lets everything in", Severity: Warning,
	Why: `The hour in which Redis is gone is the hour in which callers try again. With on_failure open, which is the default without instances, a tenant is then bounded by nothing; refusing everybody is no better, as when Istio answered 429 to all (its issue 12115). With instances each takes its share of the quota on its own.`,
	Bad: `inbound:
  quotas: {tenant: {by: tenant, mode: leased, rate: 100, store: "redis://cache:6379"}}
`,
	Good: `inbound:
  quotas: {tenant: {by: tenant, mode: leased, rate: 100, instances: 8, store: "redis://cache:6379"}}
`,
	Check: func(p *Pass) {
		all := p.takings()
		for _, t := range all {
			if !t.shared() || t.quota.OnFailure != quota.FailOpen {
				continue
			}
			own := func(o taking) bool {
				return !o.shared() && (o.by == t.by || o.by == inbound.Everyone) && covers(o.route, t.route)
			}
			if !slices.ContainsFunc(all, own) {
				p.report(t.at("on_failure"), "is open, and no limit of the instance stands behind it",
					"set instances, for a share of the quota in each, or add a limit with the same by")
			}
		}
	},
}

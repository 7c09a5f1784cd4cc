package lint

import "fmt"

var otherInstances = &Rule{
	Code: "ST704", Title: "A quota counts with another number of instances than there are", Severity: Warning,
	Why: `Without its store each instance admits 1/instances of the quota, so the number must be that of all that run. With 4 of 8 in the file the local shares add up to twice the quota; Sentinel once used the whole threshold in each (its issue 1808), which is that fault at its largest.`,
	Bad: `service: {instances: 8}
inbound:
  quotas: {tenant: {by: tenant, mode: leased, rate: 100, instances: 4, store: "redis://cache:6379"}}
`,
	Good: `service: {instances: 8}
inbound:
  quotas: {tenant: {by: tenant, mode: leased, rate: 100, instances: 8, store: "redis://cache:6379"}}
`,
	Check: func(p *Pass) {
		n := p.file.Service.Instances
		for _, t := range p.takings() {
			if t.shared() && n > 0 && t.quota.Instances > 0 && t.quota.Instances != n {
				p.report(t.at("instances"), fmt.Sprintf("is %d, and service.instances is %d: without the store all together admit %s times the quota",
					t.quota.Instances, n, number(float64(n)/float64(t.quota.Instances))), fmt.Sprintf("set it to %d", n))
			}
		}
	},
}

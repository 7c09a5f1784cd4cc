package lint

import "fmt"

var quotaOfOne = &Rule{
	Code: "ST703", Title: "A quota that nobody shares", Severity: Warning,
	Why: `In mode embedded each instance has the whole quota for itself. Eight instances admit eight times what it says, and the answers tell every caller of a figure that is not true.`,
	Bad: `service: {instances: 8}
inbound:
  quotas: {tenant: {by: tenant, rate: 100}}
`,
	Good: `service: {instances: 8}
inbound:
  quotas: {tenant: {by: tenant, mode: leased, rate: 100, instances: 8, store: "redis://cache:6379"}}
`,
	Check: func(p *Pass) {
		n := p.file.Service.Instances
		for _, t := range p.takings() {
			if n > 1 && t.quota != nil && !t.shared() {
				p.report(t.at("mode"), fmt.Sprintf("is embedded: %d instances admit %s, not %s", n, t.admits(n), t.admits(1)),
					"set mode to leased, or to central for a quota of few requests, with a store; or make it a limit")
			}
		}
	},
}

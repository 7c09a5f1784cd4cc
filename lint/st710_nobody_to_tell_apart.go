package lint

import (
	"fmt"

	"github.com/stanch-go/stanch/inbound"
)

var nobodyToTellApart = &Rule{
	Code: "ST710", Title: "Tenants or users have a limit, and nothing tells them apart", Severity: Error,
	Why: `All of them then share one limit, and the first that reaches it shuts out the others. A limit of 100 a second for each of 50 tenants is one of 100 for all.`,
	Bad: `listen: {ingress: {address: "0.0.0.0:8080", to: "http://127.0.0.1:9090"}}
inbound:
  limits: {tenant: {by: tenant, rate: 100}}
  concurrency: {limit: 20}
`,
	Good: `listen: {ingress: {address: "0.0.0.0:8080", to: "http://127.0.0.1:9090"}}
inbound:
  identity: {tenant: X-Tenant}
  limits: {tenant: {by: tenant, rate: 100}}
  concurrency: {limit: 20}
`,
	Check: func(p *Pass) {
		// A Go program may know them without a header; the sidecar does not.
		if p.file.Inbound == nil || p.file.Listen.Ingress.Address == "" {
			return
		}
		id := p.file.Inbound.Identity
		for _, t := range p.takings() {
			if t.by == inbound.Tenant && id.Tenant == "" || t.by == inbound.User && id.User == "" {
				p.report(t.at("by"), fmt.Sprintf("is %s, and inbound.identity.%s is not given: all share this %s", t.by, t.by, t.what),
					fmt.Sprintf("name the header that tells them apart in inbound.identity.%s, or count by address", t.by))
			}
		}
	},
}

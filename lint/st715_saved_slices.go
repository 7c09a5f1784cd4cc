package lint

import (
	"fmt"

	"github.com/stanch-go/stanch/quota"
)

var savedSlices = &Rule{
	Code: "ST715", Title: "Slices that are saved up come to more than a burst", Severity: Info,
	Why: `Spent together they are let in at once, on top of what is left in the store. It takes every instance to save its slice up: fifty instances held up to 15 % of a second's quota in a run in virtual time, far less than they may. The bound is max_slice times the instances.`,
	Bad: `inbound:
  quotas: {tenant: {by: tenant, mode: leased, rate: 100, instances: 50, max_slice: 20, store: "redis://cache:6379"}}
`,
	Good: `inbound:
  quotas: {tenant: {by: tenant, mode: leased, rate: 100, instances: 50, max_slice: 2, store: "redis://cache:6379"}}
`,
	Check: func(p *Pass) {
		for _, t := range p.takings() {
			if !t.shared() || t.quota.Mode != quota.ModeLeased || !p.given(t.at("max_slice")) {
				continue
			}
			if n := p.instances(t); float64(n)*t.quota.MaxSlice > t.burst {
				p.report(t.at("max_slice"), fmt.Sprintf("%d instances may hold %s each, %s in all, and a burst is %s",
					n, number(t.quota.MaxSlice), number(float64(n)*t.quota.MaxSlice), number(t.burst)),
					fmt.Sprintf("set it to %s, or keep it where round trips cost more than the overshoot", number(max(t.burst/float64(n), 1))))
			}
		}
	},
}

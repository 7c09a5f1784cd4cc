package lint

import "slices"

var idlePool = &Rule{
	Code: "ST905", Title: "A pool that nobody uses", Severity: Warning,
	Why: `It bounds nothing. The dependencies that were to share it have bulkheads of their own, or none.`,
	Bad: `pools: {outbound: {size: 20}}
dependencies:
  profile:
    timeout: {attempt: 200ms}
`,
	Good: `pools: {outbound: {size: 20}}
dependencies:
  profile:
    timeout: {attempt: 200ms}
    bulkhead: {pool: outbound, guaranteed: 10}
`,
	Check: func(p *Pass) {
		for name := range p.file.Pools.All() {
			if !slices.ContainsFunc(p.calls, func(c *call) bool { return c.Bulkhead.Pool == name }) {
				p.report(entry("pools", name), "no dependency has a share of it", "give one a share with bulkhead.pool, or remove the pool")
			}
		}
	},
}

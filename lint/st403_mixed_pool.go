package lint

import "fmt"

var mixedPool = &Rule{
	Code: "ST403", Title: "Core and optional dependencies share a pool without a guarantee", Severity: Error,
	Why: `The slow one takes all places, and the one without which there is no answer waits behind what nobody would miss. Measured with two dependencies in a pool of 20, one of them slow: the healthy one's median went from 76 ms to 436, and its throughput from 284 a second to 61.`,
	Bad: `pools: {outbound: {size: 20}}
dependencies:
  profile:
    class: core_read
    p99: 80ms
    bulkhead: {pool: outbound}
  recommend:
    class: optional_read
    bulkhead: {pool: outbound}
`,
	Good: `pools: {outbound: {size: 20}}
dependencies:
  profile:
    class: core_read
    p99: 80ms
    bulkhead: {pool: outbound, guaranteed: 10}
  recommend:
    class: optional_read
    bulkhead: {pool: outbound, max: 10}
`,
	Check: func(p *Pass) {
		guests := map[string]string{} // an optional dependency of each pool
		for _, c := range p.calls {
			if _, taken := guests[c.Bulkhead.Pool]; c.optional() && !taken {
				guests[c.Bulkhead.Pool] = c.name
			}
		}
		for _, c := range p.calls {
			pool := c.Bulkhead.Pool
			if guest := guests[pool]; pool != "" && c.core() && guest != "" && c.Bulkhead.Guaranteed == 0 {
				p.report(c.at("bulkhead.pool"),
					fmt.Sprintf("no place in %s is its own, and %s, which an answer can do without, may hold them all", pool, guest),
					"set bulkhead.guaranteed here, and bulkhead.max there")
			}
		}
	},
}

package lint

var idleBulkhead = &Rule{
	Code: "ST904", Title: "Settings of the bulkhead that have no effect", Severity: Warning,
	Why: `A queue stands before places that are counted; without a limit there are none, and without a queue nobody waits. The calls are not bounded as the file makes believe.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 200ms}
    bulkhead: {queue: 10, max_wait: 50ms}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 200ms}
    bulkhead: {limit: 10, queue: 10, max_wait: 50ms}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			b := c.Bulkhead
			idle := func(why, remedy string, keys ...string) {
				for _, key := range keys {
					if c.given(key) {
						p.report(c.at(key), "has no effect: "+why, remedy)
					}
				}
			}
			switch {
			case c.places() == 0:
				idle("the places are not bounded", "set bulkhead.limit, or remove the key", "bulkhead.queue", "bulkhead.max_wait", "bulkhead.order", "bulkhead.linger")
			case b.Queue == 0:
				idle("there is no queue", "set bulkhead.queue, or remove the key", "bulkhead.max_wait", "bulkhead.order")
			}
		}
	},
}

package lint

import "fmt"

var wideBulkhead = &Rule{
	Code: "ST405", Title: "The bulkhead is as wide as the service", Severity: Warning,
	Why: `A bulkhead keeps the water out of the other compartments; one that spans the ship keeps nothing out. Only what no answer can do without (the core classes) may hold every worker.`,
	Bad: `service: {workers: 20}
dependencies:
  recommend:
    timeout: {attempt: 300ms}
    bulkhead: {limit: 20}
`,
	Good: `service: {workers: 20}
dependencies:
  recommend:
    timeout: {attempt: 300ms}
    bulkhead: {limit: 10}
`,
	Check: func(p *Pass) {
		workers := p.file.Service.Workers
		for _, c := range p.calls {
			if places := c.places(); workers > 0 && places >= workers && !c.core() {
				p.report(c.firstGiven("bulkhead.limit", "bulkhead.max", "bulkhead.pool", "bulkhead"),
					fmt.Sprintf("%d calls may run at once, and the service has %d workers", places, workers),
					fmt.Sprintf("take half of the workers at most, %d", max(1, workers/2)))
			}
		}
	},
}

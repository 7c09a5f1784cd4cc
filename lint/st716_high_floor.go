package lint

import "fmt"

var highFloor = &Rule{
	Code: "ST716", Title: "The floor of the adaptive limit is above the fixed one", Severity: Warning,
	Why: `The lower of both counts, so the limit can never find itself: it stays where the fixed one is, also when the service can do less. A floor that is too high keeps a sick service sick (envoy's issue 38338); its default is 2.`,
	Bad: `inbound:
  concurrency: {limit: 20, adaptive: {min: 50}}
`,
	Good: `inbound:
  concurrency: {limit: 200, adaptive: {min: 5}}
`,
	Check: func(p *Pass) {
		if p.file.Inbound == nil || p.file.Inbound.Concurrency.Adaptive == nil {
			return
		}
		if limit, a := p.most(), p.file.Inbound.Concurrency.Adaptive; limit > 0 && a.Min >= limit {
			const path = "inbound.concurrency.adaptive.min"
			p.report(path, fmt.Sprintf("is %d, and inbound.concurrency.limit is %d: nothing is left to be found between", a.Min, limit),
				"remove it, or one of the two limits")
		}
	},
}

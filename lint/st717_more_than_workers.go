package lint

import "fmt"

var moreThanWorkers = &Rule{
	Code: "ST717", Title: "More requests are let in than there are workers", Severity: Warning,
	Why: `The others wait inside the service, where nobody sees how long, in no order of importance, and cannot be refused any more. Behind 20 workers and a limit of 200 there is a queue of 180, which is nine times what a request takes.`,
	Bad: `service: {workers: 20}
inbound:
  concurrency: {limit: 200}
`,
	Good: `service: {workers: 20}
inbound:
  concurrency: {limit: 20}
`,
	Check: func(p *Pass) {
		if n, workers := p.most(), p.file.Service.Workers; workers > 0 && n > workers {
			p.report("inbound.concurrency.limit", fmt.Sprintf("is %d, and there are %d workers: %d requests wait where none is shed", n, workers, n-workers),
				fmt.Sprintf("set it to %d; inbound.concurrency.queue is for those that wait", workers))
		}
	},
}

package lint

var openIngress = &Rule{
	Code: "ST603", Title: "Nothing bounds the requests that are let in", Severity: Warning,
	Why: `What the workers cannot take waits somewhere else, in a queue without an end, and is answered after its caller has left. A bound at the entry turns away at once what would be in vain: the others are served.`,
	Bad: `listen:
  ingress: {address: "0.0.0.0:8080", to: "http://127.0.0.1:9090"}
`,
	Good: `listen:
  ingress: {address: "0.0.0.0:8080", to: "http://127.0.0.1:9090", concurrent: 20, queue: 40, queue_wait: 200ms}
`,
	Check: func(p *Pass) {
		if in := p.file.Listen.Ingress; in.Address != "" && in.Concurrent == 0 {
			p.report("listen.ingress.concurrent", "any number of requests is let in at once",
				"set listen.ingress.concurrent to the number of workers, with a queue and a queue_wait")
		}
	},
}

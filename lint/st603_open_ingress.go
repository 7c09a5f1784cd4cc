package lint

var openIngress = &Rule{
	Code: "ST603", Title: "Nothing bounds the requests that are let in", Severity: Warning,
	Why: `What the workers cannot take waits somewhere else, in a queue without an end, and is answered after its caller has left. A bound at the entry turns away at once what would be in vain: the others are served.`,
	Bad: `listen:
  ingress: {address: "0.0.0.0:8080", to: "http://127.0.0.1:9090"}
`,
	Good: `listen:
  ingress: {address: "0.0.0.0:8080", to: "http://127.0.0.1:9090"}
inbound:
  concurrency: {limit: 20}
`,
	Check: func(p *Pass) {
		path := "inbound.concurrency"
		if p.file.Inbound == nil {
			path = "listen.ingress.address"
		}
		if p.file.Listen.Ingress.Address != "" && !p.bounded() {
			p.report(path, "any number of requests is let in at once",
				"set inbound.concurrency.limit to the number of workers, or concurrency: {adaptive: {}}")
		}
	},
}

package lint

import "fmt"

var idleIdempotency = &Rule{
	Code: "ST907", Title: "An idempotency header without retries", Severity: Info,
	Why: `The header says that a write may be sent again, and nothing is. If the service sends it for its own sake, this file need not know.`,
	Bad: `dependencies:
  orders:
    class: core_write
    p99: 150ms
    idempotency_header: Idempotency-Key
`,
	Good: `dependencies:
  orders:
    class: core_write
    p99: 150ms
    timeout: {total: 950ms}
    retry: {attempts: 2}
    budget: {kind: earning}
    idempotency_header: Idempotency-Key
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if c.given("idempotency_header") && !c.retries() {
				p.report(c.at("idempotency_header"), fmt.Sprintf("%s has no effect, since nothing is retried", c.IdempotencyHeader), "add a retry and a budget, or remove the key")
			}
		}
	},
}

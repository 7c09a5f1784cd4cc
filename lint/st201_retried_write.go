package lint

import (
	"fmt"

	"github.com/stanch-go/stanch"
)

var retriedWrite = &Rule{
	Code: "ST201", Title: "A write is retried, and nothing makes that safe", Severity: Error,
	Why: `A timeout is no failure: the order may have been made, and the second try makes it twice. RFC 9110 lets only idempotent methods be repeated; others need a key by which the server knows the repetition. Name the header that carries it, if the dependency honours one, or do not retry.`,
	Bad: `dependencies:
  orders:
    class: core_write
    p99: 150ms
    retry: {attempts: 2}
    budget: {kind: earning}
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
			if c.Class == stanch.ClassCoreWrite && c.retries() && !c.given("idempotency_header") {
				p.report(c.at("retry.attempts"),
					fmt.Sprintf("a write may be sent %d times, and no idempotency_header is named", c.attempts()),
					"remove the retries, or name the idempotency_header by which the dependency knows a repetition")
			}
		}
	},
}

package lint

import (
	"fmt"

	"github.com/stanch-go/stanch"
)

var retriedSidePath = &Rule{
	Code: "ST202", Title: "A side path is retried", Severity: Warning,
	Why: `Nobody waits for analytics or logs, but their retries hold workers and add load in the very moment when both are short. What does not get through is dropped.`,
	Bad: `dependencies:
  analytics:
    class: side_path
    retry: {attempts: 3}
    budget: {kind: earning}
`,
	Good: `dependencies:
  analytics:
    class: side_path
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if c.Class == stanch.ClassSidePath && c.retries() {
				p.report(c.at("retry.attempts"), fmt.Sprintf("what nobody waits for is tried %d times", c.attempts()), "remove the retries")
			}
		}
	},
}

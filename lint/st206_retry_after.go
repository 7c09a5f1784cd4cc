package lint

import "fmt"

var retryAfter = &Rule{
	Code: "ST206", Title: "A server may ask for a longer wait than there is time", Severity: Warning,
	Why: `A Retry-After up to the cap is slept through, however little the caller has left, unless the call has one budget of time. Clients have slept for a day because of a header (go-retryablehttp issues 247 and 295). With timeout.total or timeout.reserve a wait that does not fit is not begun, and this rule is silent.`,
	Bad: `service: {deadline: 2s}
dependencies:
  profile:
    timeout: {attempt: 500ms}
    retry: {attempts: 2}
    budget: {kind: earning}
`,
	Good: `service: {deadline: 2s}
dependencies:
  profile:
    timeout: {attempt: 500ms, total: 1200ms}
    retry: {attempts: 2}
    budget: {kind: earning}
`,
	Check: func(p *Pass) {
		limit, known := p.patience()
		for _, c := range p.calls {
			if !c.retries() || c.bounded() || known && c.Retry.RetryAfterCap <= limit.long {
				continue
			}
			most := span(c.Retry.RetryAfterCap)
			text, remedy := fmt.Sprintf("a wait of up to %s is slept through before each retry, and nothing bounds the whole call", most), "set timeout.total"
			if known {
				text = fmt.Sprintf("a wait of up to %s is slept through before each retry, but %s has %s", most, limit.who, span(limit.long))
				remedy = fmt.Sprintf("set timeout.total below %s; a longer wait is then not begun", span(limit.long))
			}
			p.report(c.firstGiven("retry.retry_after_cap", "retry.attempts"), text, remedy)
		}
	},
}

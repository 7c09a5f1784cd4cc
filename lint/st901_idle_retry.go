package lint

import "fmt"

var idleRetry = &Rule{
	Code: "ST901", Title: "Settings of retries that have no effect", Severity: Warning,
	Why: `They look like a protection, and are none. Without retry.attempts above 1 nothing is retried, and a wait beyond the budget of time is never begun.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 200ms}
    retry: {base: 50ms, jitter: full}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 200ms, total: 500ms}
    retry: {attempts: 2, base: 50ms, jitter: full}
    budget: {kind: earning}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if !c.retries() {
				for _, key := range []string{"retry.base", "retry.cap", "retry.multiplier", "retry.jitter", "retry.retry_after_cap"} {
					if c.given(key) {
						p.report(c.at(key), "has no effect, since nothing is retried", "set retry.attempts to 2 or more, or remove the key")
					}
				}
				continue
			}
			total, by := c.shared()
			if c.given("retry.retry_after_cap") && c.Retry.RetryAfterCap > total {
				p.report(c.at("retry.retry_after_cap"),
					fmt.Sprintf("has no effect: %s of %s ends the call before a wait of %s does", span(total), by, span(c.Retry.RetryAfterCap)),
					"remove the key, or set it below the total")
			}
		}
	},
}

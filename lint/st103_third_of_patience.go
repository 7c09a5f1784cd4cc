package lint

import "fmt"

var thirdOfPatience = &Rule{
	Code: "ST103", Title: "Retries take more than a third of the user's patience", Severity: Info,
	Why: `Retries are worth it only where the user does not notice them. The rule of thumb is that the timeout of an attempt times the attempts stays below a third of what the user is willing to wait; beyond it, a degraded answer at once is the better one.`,
	Bad: `layers: {callers: {browser: {wait: 2s}}}
dependencies:
  recommend:
    timeout: {attempt: 400ms}
    retry: {attempts: 2}
`,
	Good: `layers: {callers: {browser: {wait: 2s}}}
dependencies:
  recommend:
    timeout: {attempt: 300ms}
    retry: {attempts: 2}
`,
	Check: func(p *Pass) {
		user, known := p.user()
		for _, c := range p.calls {
			shared, by := c.shared()
			took := times(c.attempts(), c.attempt())
			what := fmt.Sprintf("%d attempts x %s = %s", c.attempts(), span(c.attempt()), span(took))
			if shared < took {
				took, what = shared, fmt.Sprintf("%d attempts may take the %s of %s", c.attempts(), span(shared), by)
			}
			if known && c.retries() && took != never && took > user.long/3 {
				p.report(c.firstGiven("timeout.total", "timeout.attempt", "retry.attempts"),
					fmt.Sprintf("%s, more than a third of the %s that %s waits", what, span(user.long), user.who),
					fmt.Sprintf("bring it below %s with a shorter timeout.attempt or timeout.total, or do not retry and answer with the fallback", span(user.long/3)))
			}
		}
	},
}

package lint

import "fmt"

var sumOfAttempts = &Rule{
	Code: "ST102", Title: "Attempts and their waits add up to more than the caller waits", Severity: Warning,
	Why: `The last attempts are made for nobody, and hold a worker while they are. Three attempts of 3 s with 500 ms between them take 10 s; behind a gateway that waits 5 s every such request is lost, and was paid for with 10 s of a worker. One budget of time for the whole call (timeout.total) makes the attempts share it instead; so does timeout.reserve, which hands the caller's deadline on, and where either is set this rule is silent.`,
	Bad: `service: {deadline: 1500ms}
dependencies:
  profile:
    timeout: {attempt: 1s}
    retry: {attempts: 3}
`,
	Good: `service: {deadline: 1500ms}
dependencies:
  profile:
    timeout: {attempt: 600ms, total: 1300ms}
    retry: {attempts: 2}
`,
	Check: func(p *Pass) {
		limit, known := p.patience()
		for _, c := range p.calls {
			if known && c.retries() && !c.bounded() && c.sum() != never && c.sum() > limit.long {
				p.report(c.firstGiven("retry.attempts", "timeout.attempt"),
					fmt.Sprintf("%s = %s, but %s has %s", c.parts(), span(c.sum()), limit.who, span(limit.long)),
					fmt.Sprintf("set timeout.total below %s: the attempts then share it", span(limit.long)))
			}
		}
	},
}

package lint

import "fmt"

// fewCalls are too few to judge a dependency by.
const fewCalls = 5

var tooFewCalls = &Rule{
	Code: "ST301", Title: "The breaker judges by too few calls", Severity: Warning,
	Why: `At night, when there are three calls in the window, two failures are a ratio of 67 % and open it. Twenty calls is the usual minimum (Hystrix), a hundred in others (Polly, Resilience4j).`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 200ms}
    breaker: {window: 10s, min_calls: 2}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 200ms}
    breaker: {window: 10s, min_calls: 20}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			b := c.Breaker
			if b.Enabled() && b.MinCalls < fewCalls {
				p.report(c.firstGiven("breaker.min_calls", "breaker.calls"),
					fmt.Sprintf("%d %s enough to open it", b.MinCalls, plural(b.MinCalls == 1, "call is", "calls are")),
					"set breaker.min_calls, 20 for instance")
			}
			if b.Consecutive == 1 || b.Consecutive == 2 {
				p.report(c.at("breaker.consecutive"),
					fmt.Sprintf("%d %s enough to open it, however many succeed otherwise", b.Consecutive, plural(b.Consecutive == 1, "failure is", "failures in a row are")),
					"take 5 or more")
			}
		}
	},
}

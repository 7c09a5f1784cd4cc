package lint

import "fmt"

var belowP99 = &Rule{
	Code: "ST105", Title: "The timeout is not above the p99 latency", Severity: Warning,
	Why: `In good times already at least one call in a hundred takes longer, and is killed although it would have succeeded. The retries that follow are load that the dependency has to bear when it is slow. Two to three times the p99 latency is the usual choice.`,
	Bad: `dependencies:
  profile:
    p99: 80ms
    timeout: {attempt: 80ms}
`,
	Good: `dependencies:
  profile:
    p99: 80ms
    timeout: {attempt: 200ms}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if c.P99 > 0 && c.attempt() <= c.P99 {
				p.report(c.firstGiven("timeout.attempt", "timeout.total", "p99"),
					fmt.Sprintf("an attempt has %s, and one call in a hundred takes %s or longer in good times", span(c.attempt()), span(c.P99)),
					fmt.Sprintf("allow %s to %s; if the callers cannot wait so long, do not ask while they wait", span(2*c.P99), span(3*c.P99)))
			}
		}
	},
}

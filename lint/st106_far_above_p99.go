package lint

import "fmt"

var farAboveP99 = &Rule{
	Code: "ST106", Title: "The timeout is above ten times the p99 latency", Severity: Warning,
	Why: `In good times it changes nothing; when the dependency hangs it is how long every worker is held. What the service still serves then is workers by time held: ten times the timeout is a tenth of the requests. The fixed limits of the classes optional_read and side_path are hard caps and are not meant.`,
	Bad: `dependencies:
  orders:
    p99: 200ms
    timeout: {attempt: 30s}
`,
	Good: `dependencies:
  orders:
    p99: 200ms
    timeout: {attempt: 600ms}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			fixed := c.optional() && !c.given("timeout.attempt")
			if c.P99 > 0 && !fixed && c.attempt() != never && c.attempt() > 10*c.P99 {
				p.report(c.firstGiven("timeout.attempt", "timeout.total"),
					fmt.Sprintf("an attempt has %s, %s times the p99 latency of %s", span(c.attempt()), number(c.attempt().Seconds()/c.P99.Seconds()), span(c.P99)),
					fmt.Sprintf("allow %s to %s", span(2*c.P99), span(3*c.P99)))
			}
		}
	},
}

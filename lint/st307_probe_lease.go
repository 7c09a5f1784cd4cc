package lint

import "fmt"

var shortLease = &Rule{
	Code: "ST307", Title: "A probe's lease is not longer than the call", Severity: Warning,
	Why: `A probe that is merely slow has lost its place and counts as failed before it can succeed, so that the breaker opens again although the dependency is back.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 800ms}
    breaker: {probe_lease: 500ms}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 800ms}
    breaker: {probe_lease: 5s}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if b, d := c.Breaker, c.judged(); b.Enabled() && d != never && b.ProbeLease <= d {
				p.report(c.firstGiven("breaker.probe_lease", "timeout.attempt", "breaker"),
					fmt.Sprintf("the lease is %s, and a probe may take %s", span(b.ProbeLease), span(d)),
					fmt.Sprintf("set breaker.probe_lease to %s or more", span(times(2, d))))
			}
		}
	},
}

package lint

import "fmt"

var shortCooldown = &Rule{
	Code: "ST306", Title: "The breaker's cooldown is shorter than an attempt", Severity: Warning,
	Why: `It asks again while the attempts from before it opened are still hanging, so the dependency has no pause. A cooldown is chosen by how long the dependency takes to recover: 5 s and more.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 3s, connect: 500ms}
    breaker: {cooldown: 1s}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 3s, connect: 500ms}
    breaker: {cooldown: 5s}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if b, a := c.Breaker, c.attempt(); b.Enabled() && a != never && b.Cooldown < a {
				p.report(c.firstGiven("breaker.cooldown", "timeout.attempt"),
					fmt.Sprintf("the cooldown is %s, and an attempt hangs for up to %s", span(b.Cooldown), span(a)),
					fmt.Sprintf("set breaker.cooldown to %s or more, or shorten timeout.attempt", span(a)))
			}
		}
	},
}

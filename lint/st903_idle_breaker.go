package lint

import "fmt"

var idleBreaker = &Rule{
	Code: "ST903", Title: "Settings of the breaker that have no effect", Severity: Warning,
	Why: `A recovery that they were to show early is seen at the end of the cooldown, or a growth that they bound never begins.`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 200ms}
    breaker: {cooldown: 5s, trickle: {first: 10s}}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 200ms}
    breaker: {cooldown: 5s, trickle: {first: 50ms, max: 1s}}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			b := c.Breaker
			if b.Trickle.First > 0 && b.Trickle.First >= b.Cooldown && b.CooldownFactor <= 1 {
				p.report(c.firstGiven("breaker.trickle.first", "breaker.cooldown"),
					fmt.Sprintf("no probe of the trickle is sent: the first would be after %s, and the cooldown is over after %s", span(b.Trickle.First), span(b.Cooldown)),
					"set trickle.first well below the cooldown, or remove the trickle")
			}
			if c.given("breaker.cooldown_max") && b.CooldownFactor <= 1 {
				p.report(c.at("breaker.cooldown_max"), "has no effect: the cooldown does not grow", "set breaker.cooldown_factor above 1, or remove the key")
			}
			if c.given("breaker.counts") && !c.retries() {
				p.report(c.at("breaker.counts"), "makes no difference: a call has one attempt", "remove the key, or set retry.attempts")
			}
		}
	},
}

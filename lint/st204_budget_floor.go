package lint

import (
	"fmt"

	"github.com/stanch-go/stanch/retry"
)

// leastGrant is the rate of retries below which a budget locks itself: one in
// ten seconds.
const leastGrant = 0.1

var budgetFloor = &Rule{
	Code: "ST204", Title: "The retry budget has no floor", Severity: Info,
	Why: `While nothing succeeds nothing is earned, so that after a while no call is retried at all, not even the first ones that could succeed again. A floor lets a few through whatever happened before. The token kind has none by design (gRPC, proposal A6).`,
	Bad: `dependencies:
  profile:
    timeout: {attempt: 200ms, total: 500ms}
    retry: {attempts: 2}
    budget: {kind: token}
`,
	Good: `dependencies:
  profile:
    timeout: {attempt: 200ms, total: 500ms}
    retry: {attempts: 2}
    budget: {kind: ratio, ratio: 20%, floor: 10}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			grant, ok := c.grant()
			if !c.retries() || !ok || grant >= leastGrant {
				continue
			}
			switch b := c.Budget; b.Kind {
			case retry.KindToken:
				p.report(c.firstGiven("budget.kind", "budget"),
					fmt.Sprintf("after %d failures in a row no retry is granted until successes have earned one", (b.Max+1)/2),
					"take the kind earning, or ratio with a floor")
			case retry.KindRatio:
				p.report(c.firstGiven("budget.window", "budget.floor", "budget.ratio"),
					fmt.Sprintf("while nothing succeeds one retry is granted in %s", span(b.Window)),
					"raise floor, or shorten window")
			default:
				p.report(c.firstGiven("budget.trickle", "budget"),
					fmt.Sprintf("while nothing succeeds one retry is granted in %s seconds", number(1/b.Trickle)),
					"raise trickle, its default is 1 a second")
			}
		}
	},
}

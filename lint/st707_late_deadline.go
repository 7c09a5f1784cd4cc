package lint

import "fmt"

var lateDeadline = &Rule{
	Code: "ST707", Title: "A request may take longer than its caller waits", Severity: Warning,
	Why: `Work goes on for somebody who has left, and holds its place meanwhile. inbound.deadline bounds every request from its arrival, and must end it before the caller gives up; where the service has a deadline of its own the shorter one is what was meant.`,
	Bad: `layers: {callers: {gateway: {wait: 2s}}}
inbound: {deadline: 3s}
`,
	Good: `layers: {callers: {gateway: {wait: 2s}}}
inbound: {deadline: 1800ms}
`,
	Check: func(p *Pass) {
		d, key := p.time()
		if d == 0 || key != "inbound.deadline" {
			return // service.deadline is ST601's
		}
		least := wait{long: never}
		for _, c := range p.callers() {
			if c.long < least.long || c.long == least.long && c.who < least.who {
				least = c
			}
		}
		if s := p.file.Service.Deadline; s > 0 && s < d && s < least.long {
			least = wait{"service.deadline", s + 1, ""} // as long is no fault
		}
		if d >= least.long {
			p.report(key, fmt.Sprintf("is %s, and %s has %s", span(d), least.who, span(least.long)), "bring it below, with room for the way back")
		}
	},
}

package lint

import "fmt"

var begunInVain = &Rule{
	Code: "ST708", Title: "A request is begun with less time than its work takes", Severity: Warning,
	Why: `It is cut off when most of the work is done, and is asked again. A dependency that takes 80 ms at the median answers hardly any request that has 50 ms left; an attempt that may run for 2 s is never given that by a deadline of 1 s. Refused on arrival they would cost nothing.`,
	Bad: `inbound: {deadline: 1s}
dependencies:
  profile: {timeout: {attempt: 2s, connect: 100ms}}
`,
	Good: `inbound: {deadline: 1s}
dependencies:
  profile: {timeout: {attempt: 400ms, connect: 100ms}}
`,
	Check: func(p *Pass) {
		d, key := p.time()
		for _, c := range p.calls {
			if a := c.Timeout.Attempt; d > 0 && key == "inbound.deadline" && !c.handedOn() && a >= d {
				p.report(key, fmt.Sprintf("is %s, and an attempt at %s may take %s", span(d), c.name, span(a)),
					fmt.Sprintf("set %s below it, or hand the deadline on with timeout.reserve", c.at("timeout.attempt")))
			}
			const least = "inbound.min_remaining"
			if in := p.file.Inbound; in != nil && in.MinRemaining > 0 && c.core() && in.MinRemaining < c.P50 {
				p.report(least, fmt.Sprintf("is %s, and %s, without which there is no answer, takes %s at the median", span(in.MinRemaining), c.name, span(c.P50)),
					"set it to that at least, or remove it: what the fastest requests of late took is the default where the concurrency is bounded")
			}
		}
	},
}

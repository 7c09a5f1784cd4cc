package lint

import (
	"fmt"
	"time"
)

var faultThroughput = &Rule{
	Code: "ST402", Title: "One dependency that hangs stops the whole service", Severity: Error,
	Why: `What a service still answers then is its workers by the time each is held. With 200 workers a timeout of 3 s leaves 66.7 requests a second and one of 30 s leaves 6.7, whatever the requests are for, also those that never call the dependency. A breaker helps only after the first timeouts; a bulkhead below the number of workers always.`,
	Bad: `service: {workers: 200, rates: {requests: 500}}
dependencies:
  platform:
    timeout: {attempt: 3s, connect: 500ms}
`,
	Good: `service: {workers: 200, rates: {requests: 500}}
dependencies:
  platform:
    timeout: {attempt: 3s, connect: 500ms}
    bulkhead: {limit: 40}
`,
	Check: func(p *Pass) {
		workers := p.file.Service.Workers
		for _, c := range p.calls {
			rate, key := p.rate(c.name)
			held := c.worst()
			if workers == 0 || rate == 0 || held == never || c.held(workers) < workers || rate*held.Seconds() <= float64(workers) {
				continue
			}
			p.report(c.firstGiven("timeout.total", "timeout.attempt", "timeout"),
				fmt.Sprintf("when it hangs, %d workers that are held for %s each serve %s requests/s, and %s declares %s",
					workers, span(held), number(perSecond(workers, held)), key, number(rate)),
				fmt.Sprintf("bound it with bulkhead.limit below %d, which leaves the other workers free, or let a call take at most %s",
					workers, span(roundDown(float64(workers)/rate))))
		}
	},
}

// roundDown makes a time limit of seconds that nobody has to type in full.
func roundDown(seconds float64) time.Duration {
	d := time.Duration(min(seconds, time.Hour.Seconds()) * float64(time.Second))
	for _, unit := range []time.Duration{time.Second, 100 * time.Millisecond, 10 * time.Millisecond, time.Millisecond} {
		if d >= 3*unit {
			return d.Truncate(unit)
		}
	}
	return d
}

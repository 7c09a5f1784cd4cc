package lint

import (
	"fmt"
	"time"
)

var queueOutlivesDeadline = &Rule{
	Code: "ST709", Title: "A request may wait in the queue for all of its time", Severity: Warning,
	Why: `It is then refused with nothing done, after it has held up those behind it. A queue is there for bursts, which pass in a fraction of the time that a caller has: 100 ms by default, and 5 ms while there is an overload (Maurer, Fail at Scale, 2015).`,
	Bad: `inbound:
  deadline: 1s
  concurrency: {limit: 20, interval: 2s}
`,
	Good: `inbound:
  deadline: 1s
  concurrency: {limit: 20, interval: 100ms}
`,
	Check: func(p *Pass) {
		d, key := p.time()
		if d == 0 || !p.bounded() {
			return
		}
		for _, x := range []struct {
			key  string
			long time.Duration
		}{{"target", p.file.Inbound.Concurrency.Target}, {"interval", p.file.Inbound.Concurrency.Interval}} {
			if path := "inbound.concurrency." + x.key; x.long >= d && p.given(path) {
				p.report(path, fmt.Sprintf("lets a request wait for %s, and %s is %s", span(x.long), key, span(d)), "bring it below a tenth of the time")
			}
		}
	},
}

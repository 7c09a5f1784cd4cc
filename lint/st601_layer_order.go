package lint

import (
	"fmt"
	"time"
)

var layerOrder = &Rule{
	Code: "ST601", Title: "An inner layer waits as long as the outer one, or longer", Severity: Error,
	Why: `The caller has left and the work goes on: it gets an error, and the money is taken all the same. The nearer to the user the longer the budget: entry 5 s > business 3 s > one call 1.5 s > database 0.8 s. A call to which the caller's deadline is handed on (timeout.reserve) ends with it and is not meant.`,
	Bad: `service: {deadline: 30s}
layers:
  callers: {gateway: {wait: 30s}}
dependencies:
  inventory:
    timeout: {attempt: 60s, connect: 1s}
`,
	Good: `service: {deadline: 3s}
layers:
  callers: {gateway: {wait: 5s}}
dependencies:
  inventory:
    timeout: {attempt: 1500ms, connect: 300ms}
`,
	Check: func(p *Pass) {
		chain := p.callers()
		if d := p.file.Service.Deadline; d > 0 {
			chain = append(chain, wait{"the service", d, "service.deadline"})
		}
		for i := 1; i < len(chain); i++ {
			p.order(chain[i-1], chain[i])
		}
		outer, known := p.patience()
		for _, c := range p.calls {
			if total, key := c.ceiling(); known && total > 0 && !c.handedOn() {
				p.order(outer, wait{"a call to " + c.name, total, c.firstGiven(key, "timeout")})
			}
		}
		p.below(outer)
	},
}

// ceiling is the longest that a call, or at least one attempt, is allowed.
func (c *call) ceiling() (d time.Duration, key string) {
	if c.Timeout.Total > 0 {
		return c.Timeout.Total, "timeout.total"
	}
	return c.Timeout.Attempt, "timeout.attempt"
}

// below compares what the service and its dependencies stand on.
func (p *Pass) below(service wait) {
	outer := map[string]wait{"": service}
	for _, c := range p.calls {
		if c.attempt() != never {
			outer[c.name] = wait{"an attempt at " + c.name, c.attempt(), ""}
		}
	}
	for name, b := range p.file.Layers.Below.All() {
		who, took := name, times(b.Attempts, b.Timeout)
		if b.Attempts > 1 {
			who = fmt.Sprintf("%s with its %d tries", name, b.Attempts)
		}
		if above := outer[b.Under]; above.long > 0 {
			p.order(above, wait{who, took, entry("layers.below", name) + ".timeout"})
		}
	}
}

// order reports an inner wait that does not end before the outer one.
func (p *Pass) order(outer, inner wait) {
	if inner.long < outer.long {
		return
	}
	p.report(inner.path,
		fmt.Sprintf("%s may take %s, and %s has %s", inner.who, span(inner.long), outer.who, span(outer.long)),
		fmt.Sprintf("bring it below %s, with room for what the outer layer does besides", span(outer.long)))
}

package lint

import "fmt"

var retriesMultiply = &Rule{
	Code: "ST602", Title: "Retries in more than one layer multiply", Severity: Warning,
	Why: `Five layers that each try three times make 3^5 = 243 attempts of one request at the bottom, when everything fails. Retry in one layer, the one that knows whether the operation may be repeated: the business, not the gateway and not the driver.`,
	Bad: `layers:
  callers: {gateway: {wait: 5s, attempts: 3}}
  below: {driver: {under: storage, timeout: 50ms, attempts: 3}}
dependencies:
  storage:
    timeout: {attempt: 300ms, total: 1s}
    retry: {attempts: 3}
    budget: {kind: earning}
`,
	Good: `layers:
  callers: {gateway: {wait: 5s}}
  below: {driver: {under: storage, timeout: 150ms}}
dependencies:
  storage:
    timeout: {attempt: 300ms, total: 1s}
    retry: {attempts: 3}
    budget: {kind: earning}
`,
	Check: func(p *Pass) {
		const remedy = "retry in one of them"
		var callers []try
		last := ""
		for name, c := range p.file.Layers.Callers.All() {
			if callers = append(callers, try{name, c.Attempts}); c.Attempts > 1 {
				last = entry("layers.callers", name) + ".attempts"
			}
		}
		p.product(last, callers, 0, remedy)
		for _, c := range p.calls {
			p.product(c.firstGiven("retry.attempts", "retry"), c.layers(), len(callers), remedy)
		}
		for name, b := range p.file.Layers.Below.All() {
			if b.Under == "" {
				p.product(entry("layers.below", name)+".attempts", append(callers[:len(callers):len(callers)], try{name, b.Attempts}), len(callers), remedy)
			}
		}
	},
}

// product reports layers of which more than one retries, unless those that do
// are all among the first ones, which have been told of.
func (p *Pass) product(path string, layers []try, told int, remedy string) {
	retrying, fresh, product := 0, false, int64(1)
	for i, t := range layers {
		if t.n > 1 {
			retrying, fresh = retrying+1, fresh || i >= told
		}
		product = min(product*int64(max(t.n, 1)), 1e15)
	}
	if retrying > 1 && fresh {
		p.report(path, fmt.Sprintf("%s = %d tries for one request when everything fails", productOf(layers), product), remedy)
	}
}

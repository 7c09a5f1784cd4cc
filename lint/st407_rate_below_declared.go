package lint

import "fmt"

var rateBelowDeclared = &Rule{
	Code: "ST407", Title: "More calls are declared than the rate lets through", Severity: Warning,
	Why: `The rest is refused in good times already. 100 calls a second against a rate of 50 are 50 refusals a second, each of them a fallback or a failed request; attempts that are repeated count as well.`,
	Bad: `service: {rates: {profile: 100}}
dependencies:
  profile:
    timeout: {attempt: 200ms}
    rate: {rate: 50}
`,
	Good: `service: {rates: {profile: 100}}
dependencies:
  profile:
    timeout: {attempt: 200ms}
    rate: {rate: 120}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			declared, _ := p.file.Service.Rates.Get(c.name)
			if rate := c.startsPerSecond(); rate > 0 && declared > rate {
				p.report(c.at("rate.rate"), fmt.Sprintf("is %s a second, and service.rates.%s declares %s", number(rate), c.name, number(declared)),
					"raise it to what the dependency allows, or expect fewer calls")
			}
		}
	},
}

package lint

import "github.com/stanch-go/stanch/ratelimit"

var idleLimit = &Rule{
	Code: "ST909", Title: "A limit without a rate", Severity: Warning,
	Why: `It looks like a protection, and is none. Window, burst and keys say how a rate is counted; without rate everything is let in.`,
	Bad: `inbound:
  limits: {tenant: {by: tenant, burst: 20}}
`,
	Good: `inbound:
  limits: {tenant: {by: tenant, rate: 100, burst: 20}}
`,
	Check: func(p *Pass) {
		idle := func(path string, rate float64) {
			if rate > 0 {
				return
			}
			for _, key := range []string{"burst", "window", "keys", "algorithm", "queue", "max_wait"} {
				if p.given(path + "." + key) {
					p.report(path+"."+key, "has no effect, since there is no rate", "set rate, or remove the entry")
					return
				}
			}
			if !p.given(path + ".rate") { // 0 is meant
				p.report(path, "limits nothing, since there is no rate", "set rate, or remove the entry")
			}
		}
		for _, c := range p.calls {
			if c.Rate != (ratelimit.Config{}) {
				idle(c.at("rate"), c.Rate.Rate)
			}
		}
		if p.file.Inbound == nil {
			return
		}
		for name, l := range p.file.Inbound.Limits.All() {
			idle(entry("inbound.limits", name), l.Rate)
		}
		for name, q := range p.file.Inbound.Quotas.All() {
			idle(entry("inbound.quotas", name), q.Rate)
		}
	},
}

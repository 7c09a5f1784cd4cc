package lint

import (
	"fmt"

	"github.com/stanch-go/stanch/inbound"
)

// What the state of a key takes: of a limit in advance, of a quota once it is used.
const (
	limitKeyBytes = 28
	quotaKeyBytes = 300
	muchMemory    = 256 << 20
)

var muchMemoryForKeys = &Rule{
	Code: "ST719", Title: "The states of limits take much memory", Severity: Warning,
	Why: `A limit takes 28 bytes for each of its keys in advance, a quota about 300 for each that is in use: eight limits of 100 million keys are 22 GB, which a reload with another rate touches as a whole. What is never given back also counts where Go decides when to collect garbage: the more of it, the later. Whoever may choose his tenant or user can fill all of it. A key needs a state only while its bucket is not full: as many as come within burst/rate are enough. The rule adds up all keys and speaks above 256 MiB.`,
	Bad: `service: {tenants: 1000}
inbound:
  limits: {tenant: {by: tenant, rate: 100, keys: 20000000}}
`,
	Good: `service: {tenants: 1000}
inbound:
  limits: {tenant: {by: tenant, rate: 100, keys: 1000000}}
`,
	Check: func(p *Pass) {
		total, most, path := int64(0), int64(0), ""
		for _, t := range p.takings() {
			bytes := int64(t.keys) * limitKeyBytes
			if t.quota != nil {
				bytes = int64(t.keys) * quotaKeyBytes
			}
			if t.by == inbound.Everyone {
				continue // it has one
			}
			if total += bytes; bytes > most {
				most, path = bytes, t.at("keys")
			}
		}
		if total > muchMemory {
			p.report(path, fmt.Sprintf("the keys of all limits and quotas take up to %d MiB, of this one %d", total>>20, most>>20),
				"lower keys to what comes within the time in which a bucket is full again")
		}
	},
}

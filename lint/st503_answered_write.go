package lint

import (
	"net/http"

	"github.com/stanch-go/stanch"
)

var answeredWrite = &Rule{
	Code: "ST503", Title: "A write is answered as if it had been done", Severity: Error,
	Why: `Nobody knows whether it was, and the user is told that it was: the order is missing, or is made again elsewhere. The only alternative of a write is to accept it for later, and to say so: 202, processing.`,
	Bad: `dependencies:
  orders:
    class: core_write
    p99: 150ms
    fallback: {empty: object}
`,
	Good: `dependencies:
  orders:
    class: core_write
    p99: 150ms
    fallback: {static: {status: 202, body: processing}}
`,
	Check: func(p *Pass) {
		const remedy = "remove it, or answer 202 once the write is safely kept for later"
		for _, c := range p.calls {
			if c.Class != stanch.ClassCoreWrite {
				continue
			}
			f := c.Fallback
			if f.LastGood != nil {
				p.report(c.at("fallback.last_good"), "the answer to another write is given instead", remedy)
			}
			if s := f.Static; s != nil && done(s.Status) {
				p.report(c.firstGiven("fallback.static.status", "fallback.static"), "a fixed answer says that it succeeded", remedy)
			}
			if f.Empty != "" {
				p.report(c.at("fallback.empty"), "an empty answer says that it succeeded", remedy)
			}
			if f.Hidden {
				p.report(c.at("fallback.hidden"), "204 says that it succeeded", remedy)
			}
		}
	},
}

// done reports whether a status says that a write was done. 0 is 200.
func done(status int) bool {
	return status < http.StatusMultipleChoices && status != http.StatusAccepted
}

package lint

import (
	"fmt"
	"time"
)

// oldest is how old an answer may be without a reason: what changes with the
// hour of the day comes round in it.
const oldest = 24 * time.Hour

var oldSnapshot = &Rule{
	Code: "ST502", Title: "A kept answer is given for longer than a day", Severity: Warning,
	Why: `An outage that lasts longer than a day is known to everyone, and an answer from before it is more likely wrong than of use. How old an answer may be is for those to say who own the data; a longer time needs their reason.`,
	Bad: `dependencies:
  recommend:
    class: optional_read
    fallback: {last_good: {max_age: 168h}}
`,
	Good: `dependencies:
  recommend:
    class: optional_read
    fallback: {last_good: {max_age: 1h}}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			if last := c.Fallback.LastGood; last != nil && last.MaxAge > oldest {
				p.report(c.at("fallback.last_good.max_age"),
					fmt.Sprintf("an answer may be %s old and still be given", span(last.MaxAge)),
					fmt.Sprintf("set it to %s or less, or say with allow why it may be so old", span(oldest)))
			}
		}
	},
}

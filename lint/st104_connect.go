package lint

import (
	"fmt"
	"time"
)

// longAttempt is an attempt in which a separate limit for connecting pays: a
// lost packet of the handshake is sent again after 1 s.
const longAttempt = time.Second

var slowConnect = &Rule{
	Code: "ST104", Title: "The limit for connecting is not far below that of the attempt", Severity: Warning,
	Why: `A peer that swallows packets is then noticed no sooner than one that is slow, and there is no time left to try another. A connection within a data centre takes milliseconds, so half a second to two seconds tells both apart; with a single number for connecting and reading the whole attempt is waited in vain.`,
	Bad: `dependencies:
  payment:
    timeout: {attempt: 3s}
`,
	Good: `dependencies:
  payment:
    timeout: {attempt: 3s, connect: 500ms}
`,
	Check: func(p *Pass) {
		for _, c := range p.calls {
			attempt, connect := c.attempt(), c.Timeout.Connect
			switch {
			case attempt == never:
			case connect == 0 && attempt >= longAttempt:
				p.report(c.firstGiven("timeout.attempt", "timeout.total"),
					fmt.Sprintf("an attempt has %s and nothing of its own for connecting", span(attempt)),
					"set timeout.connect, 500ms for instance")
			case connect > attempt/2:
				p.report(c.at("timeout.connect"),
					fmt.Sprintf("connecting may take %s of the %s that an attempt has", span(connect), span(attempt)),
					fmt.Sprintf("set it well below half of that, %s for instance", span(attempt/5)))
			}
		}
	},
}

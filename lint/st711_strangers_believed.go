package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stanch-go/stanch/inbound"
)

var strangersBelieved = &Rule{
	Code: "ST711", Title: "What strangers say of themselves is believed", Severity: Warning,
	Why: `Whoever chooses the header chooses the limit and the priority. At an edge that browsers reach, a made up tenant in each request is one more limit each time, and everybody is critical; Google takes the criticality of a request from its own services only (Site Reliability Engineering, 2016, chapter 21). The edge sets these headers, and drops those that came in.`,
	Bad: `layers: {callers: {browser: {wait: 2s}}}
listen: {ingress: {address: "0.0.0.0:8080", to: "http://127.0.0.1:9090"}}
inbound:
  priorities: {trust: true}
  concurrency: {limit: 20}
`,
	Good: `layers: {callers: {browser: {wait: 2s}, gateway: {wait: 1800ms}}}
listen: {ingress: {address: "0.0.0.0:8080", to: "http://127.0.0.1:9090"}}
inbound:
  priorities: {trust: true}
  concurrency: {limit: 20}
`,
	Check: func(p *Pass) {
		who, exposed := p.stranger()
		if !exposed || p.file.Inbound == nil {
			return
		}
		if p.file.Inbound.Priorities.Trust {
			p.report("inbound.priorities.trust", fmt.Sprintf("believes the priority that a request claims, and %s calls the service itself", who),
				"remove it, and give routes their priority")
		}
		id := p.file.Inbound.Identity
		for by, header := range map[inbound.By]string{inbound.Tenant: id.Tenant, inbound.User: id.User} {
			var counting []string
			for _, t := range p.takings() {
				if t.by == by {
					counting = append(counting, t.path)
				}
			}
			if header != "" && len(counting) > 0 {
				p.report("inbound.identity."+string(by), fmt.Sprintf("is a header of which %s chooses the value: %s counts by it", who, slices.Min(counting)),
					"let a gateway of one's own set it, and name that in layers.callers; or count by address")
			}
		}
	},
}

// strangers are names of callers that are nobody's own services.
var strangers = []string{"app", "apps", "browser", "browsers", "client", "clients", "customer", "customers", "internet", "mobile", "public", "user", "users", "web"}

// stranger is who reaches the ingress without a gateway between, as far as the
// callers that the file names tell, and without a certificate.
func (w *world) stranger() (who string, exposed bool) {
	in := w.file.Listen.Ingress
	local := strings.HasPrefix(in.Address, "127.") || strings.HasPrefix(in.Address, "localhost:") || strings.HasPrefix(in.Address, "[::1]")
	callers := w.callers()
	if in.Address == "" || local || in.TLS.ClientCA != "" || len(callers) == 0 {
		return "", false
	}
	who = callers[len(callers)-1].who
	return who, slices.Contains(strangers, strings.ToLower(who))
}

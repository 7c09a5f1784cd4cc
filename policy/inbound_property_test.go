package policy

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// takes are keys of each part of the inbound section; most of them get along
// with each other.
var takes = map[string][]string{
	"limit":       {"rate: 5", "rate: 0.1", "rate: 0", "by: tenant", "by: address", "by: everyone", "window: 1m", "burst: 3", "route: /a", "route: GET /a.b", "route: /", "keys: 7"},
	"quota":       {"rate: 5", "rate: 1e6", "by: user", "window: 1h", "burst: 30", "mode: leased, store: 'redis://u:p@c/1'", "mode: central, store: 'unix:///s'", "keys: 7", "route: POST /q"},
	"priority":    {"trust: true", "default: sheddable", "routes: {/a: critical, POST /b.c: sheddable-plus}", "routes: {}"},
	"concurrency": {"limit: 9", "queue: 0", "target: 1ms", "interval: 2s", "adaptive: {}", "adaptive: {algorithm: vegas, min: 3}", "adaptive: null"},
	"other":       {"deadline: 1s", "min_remaining: 3ms", "identity: {tenant: X-T}", "identity: {user: X-U}"},
}

// Whatever a service takes in, shown with every default it takes in the same, and
// what can be read can be built.
func TestInboundShownMeansTheSame(t *testing.T) {
	drawn, read := 0, 0
	defer func() { mostly(t, drawn, read) }()
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		keys := func(part string) string {
			return strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(takes[part]), 0, 3,
				func(s string) string { return s[:strings.Index(s, ":")] }).Draw(t, part), ", ")
		}
		text := fmt.Sprintf(`version: 1
service: {deadline: %s}
inbound:
  limits: {a: {%s}, b: {%s}}
  quotas: {c: {%s}}
  priorities: {%s}
  concurrency: {%s}
`, rapid.SampledFrom([]string{"0s", "2s"}).Draw(t, "deadline"), keys("limit"), keys("limit"), keys("quota"), keys("priority"), keys("concurrency"))
		if other := keys("other"); other != "" {
			text += "  " + strings.ReplaceAll(other, ", ", "\n  ") + "\n"
		}
		p, err := Parse("p", []byte(text))
		if err != nil {
			return // such as keys without by, or a queue without a limit
		}
		read++
		sameShown(t, p)
		again, err := Parse("p", p.YAML())
		if err != nil {
			t.Fatal(err)
		}
		was, is := p.Inbound.Config(p.Service.Deadline).Effective(), again.Inbound.Config(again.Service.Deadline).Effective()
		if !reflect.DeepEqual(was, is) {
			t.Errorf("as it is shown it takes in\n%+v\nwas\n%+v", is, was)
		}
		if strings.Contains(string(p.YAML()), "u:p") {
			t.Errorf("the password is shown:\n%s", p.YAML())
		}
		if err := is.Validate(); err != nil {
			t.Errorf("what is in force is not valid: %v", err)
		}
		if _, err := p.Controller(); err != nil && !strings.Contains(err.Error(), "needs a store") {
			t.Errorf("it was read, and cannot be built: %v", err)
		}
	})
}

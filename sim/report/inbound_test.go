package report_test

import (
	"strings"
	"testing"

	"github.com/stanch-go/stanch/sim"
	"github.com/stanch-go/stanch/sim/report"
)

const admits = `scenario: admits
duration: 10s
services: {shop: {calls: [db]}}
dependencies: {db: {phases: [{latency: 50ms, capacity: 20}]}}
loads: {users: {to: shop, rate: 500, deadline: 1s, priority: {critical: 1, sheddable: 4}}}
variants:
  - name: open
  - name: closed
    services:
      shop:
        inbound:
          priorities: {trust: true}
          limits: {all: {rate: 450}}
          quotas: {day: {rate: 440}}
          concurrency: {adaptive: {}}
`

// What a service takes in is shown: by name, by priority, and the limit over time.
// A variant that takes everything in has no chart of it.
func TestWhatIsTakenIn(t *testing.T) {
	s, err := sim.Parse("admits.yaml", []byte(admits))
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Play(t.Context(), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := report.Played{Scenario: s, Result: r}
	var b strings.Builder
	if err := report.Text(&b, p, report.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"priority critical\n", "service shop\n", "refused by all", "refused by day", "quota day", "goodput", "ok latency p99", "  limit ", "limit: █ ="} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, b.String())
		}
	}
	text := page(t, p)
	if n := strings.Count(text, "<title id=\"s0-admitted-"); n != 1 {
		t.Errorf("%d charts of what was admitted, want 1", n)
	}
	if !strings.Contains(text, "shop limit at most") {
		t.Error("the limit is not in the chart")
	}
}

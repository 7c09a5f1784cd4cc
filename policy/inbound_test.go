package policy

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/quota"
)

// What package inbound is given is what the file says, in its order.
func TestInboundConfig(t *testing.T) {
	p, err := load("testdata/good/inbound.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c := p.Inbound.Config(p.Service.Deadline)
	var names []string
	for _, l := range c.Limits {
		names = append(names, l.Name+" "+l.Route)
	}
	for _, q := range c.Quotas {
		names = append(names, q.Name+" "+q.Route)
	}
	for _, r := range c.Priorities.Routes {
		names = append(names, r.Route+" "+string(r.Priority))
	}
	const want = "login POST /login|all |api |export /export|local |/export sheddable|POST /orders critical-plus|/v1.2 critical"
	if got := strings.Join(names, "|"); got != want {
		t.Errorf("limits, quotas and routes are\n%s\nwant\n%s", got, want)
	}
	if c.Deadline != 2*time.Second || c.MinRemaining != 20*time.Millisecond || !c.Priorities.Trust || c.Priorities.Default != "sheddable-plus" {
		t.Errorf("%+v", c)
	}
	if c.Quotas[0].Mode != quota.ModeLeased || c.Quotas[0].By != inbound.Tenant || c.Concurrency.Limit != 64 || c.Concurrency.Adaptive == nil {
		t.Errorf("%+v", c)
	}
}

func TestInboundDeadline(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"{}":                                     0,
		"{inbound: {}}":                          0,
		"{service: {deadline: 1s}}":              time.Second,
		"{service: {deadline: 1s}, inbound: {}}": time.Second,
		"{service: {deadline: 1s}, inbound: {deadline: 3s}}": 3 * time.Second,
		"{inbound: {deadline: 3s}}":                          3 * time.Second,
	} {
		p := parse(t, strings.Replace(text, "{", "{version: 1, ", 1)+"\n")
		if got := p.Inbound.Config(p.Service.Deadline).Deadline; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		c, err := p.Controller()
		if err != nil || c.Name() != "service" || c.Config().Deadline != want {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
}

// The quota of a store is made by whoever looks after the store.
func TestControllerWantsStores(t *testing.T) {
	p := parse(t, "version: 1\nservice: {name: shop}\ninbound: {quotas: {api: {mode: central, rate: 5, store: 'redis://:geheim@c'}}}\n")
	if _, err := p.Controller(); err == nil || !strings.Contains(err.Error(), "quotas.api") || strings.Contains(err.Error(), "geheim") {
		t.Errorf("error %v", err)
	}
	own, err := quota.NewEmbedded(quota.Config{Rate: 5})
	if err != nil {
		t.Fatal(err)
	}
	if c, err := p.Controller(inbound.WithQuota("api", own)); err != nil || c.Name() != "shop" {
		t.Errorf("%v, %v", c, err)
	}
}

// Defaults are filled into a copy.
func TestInboundEffectiveLeavesThePolicy(t *testing.T) {
	p, err := load("testdata/good/inbound.yaml")
	if err != nil {
		t.Fatal(err)
	}
	again, err := load("testdata/good/inbound.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e := p.Effective()
	if !reflect.DeepEqual(p.Inbound, again.Inbound) {
		t.Errorf("it was changed to\n%+v", p.Inbound)
	}
	if !reflect.DeepEqual(e.Inbound.Config(0), p.Inbound.Config(p.Service.Deadline).Effective()) {
		t.Errorf("in force is\n%+v\nand inbound makes of it\n%+v", e.Inbound.Config(0), p.Inbound.Config(p.Service.Deadline).Effective())
	}
	if e := (&File{}).Effective(); e.Inbound != nil {
		t.Errorf("without a section there is %+v", e.Inbound)
	}
}

// An included file may have limits that another takes away or changes.
func TestInboundIncluded(t *testing.T) {
	p, err := Parse("p", []byte(`version: 1
include: [base]
inbound:
  limits: {a: {rate: 7}, b: null}
  priorities: {routes: {/x: critical, "GET /y": null}}
`), WithFiles(func(string) ([]byte, error) {
		return []byte(`version: 1
inbound:
  limits: {a: {rate: 5, by: tenant}, b: {rate: 5}}
  priorities: {routes: {/x: sheddable, "GET /y": sheddable}}
`), nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	a, _ := p.Inbound.Limits.Get("a")
	if len(p.Inbound.Limits) != 1 || a.Rate != 7 || a.By != inbound.Tenant || len(p.Inbound.Priorities.Routes) != 1 || p.Inbound.Priorities.Routes[0].Value != "critical" {
		t.Errorf("%+v", p.Inbound)
	}
}

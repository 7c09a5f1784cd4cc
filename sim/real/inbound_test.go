package real_test

import (
	"strings"
	"testing"

	"github.com/stanch-go/stanch/sim/real"
)

// Twice what fits is offered to a service that takes in four at once: it works at
// its capacity, and the important requests have all they want.
func TestInbound(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 2s
services:
  shop:
    work: 20ms
    inbound: {priorities: {trust: true}, concurrency: {limit: 4}}
loads:
  users: {to: shop, rate: 400, deadline: 1s, users: 100, priority: {critical: 1, sheddable: 9}}
`)
	m, shop := r.Metrics, r.Services["shop"]
	if total(m) != m.Requests || m.Hung > 0 {
		t.Errorf("%d requests, %d ends: %+v", m.Requests, total(m), m)
	}
	between(t, "ok", m.OK, 40, 410)
	between(t, "refused", shop.Refused["shed"]+shop.Refused["bulkhead_full"]+shop.Refused["queue_timeout"], 100, 800)
	if shop.PeakInFlight > 4 || len(shop.LimitPerS) != 2 || shop.LimitPerS[1] != 4 {
		t.Errorf("%d in flight at once, the limit is %v", shop.PeakInFlight, shop.LimitPerS)
	}
	if critical, rest := r.Priorities["critical"].SuccessRatio, r.Priorities["sheddable"].SuccessRatio; critical < rest+0.2 {
		t.Errorf("%.2f of the critical requests are served, %.2f of the others", critical, rest)
	}
}

// A tenant is known by its name, also to the service behind the one that it asks.
func TestTenantsInRealTime(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 300ms
services:
  page: {calls: [shop]}
  shop:
    inbound:
      limits: {each: {by: tenant, rate: 1, burst: 5}}
      quotas: {all: {rate: 1, burst: 8}}
loads:
  a: {to: page, rate: 100, tenant: a}
  b: {to: page, rate: 100, tenant: b}
`)
	shop := r.Services["shop"]
	if shop.Admitted != 8 || shop.RefusedBy["each"]+shop.RefusedBy["all"] != 52 || shop.RefusedBy["all"] > 4 || shop.RefusedBy["all"] < 2 {
		t.Errorf("admitted %d, refused by %v", shop.Admitted, shop.RefusedBy)
	}
	if r.Metrics.OK != 8 || r.Metrics.Failed != 52 {
		t.Errorf("%+v", r.Metrics)
	}
}

// A client leaves when its time is over.
func TestDeadlineInRealTime(t *testing.T) {
	t.Parallel()
	r := play(t, `
duration: 200ms
services: {page: {work: 2s}}
loads: {users: {to: page, trace: [0s, 10ms], deadline: 100ms}}
`)
	if r.Metrics.Failed != 2 || r.Metrics.LatencyMs.Max > 1500 {
		t.Errorf("%+v", r.Metrics)
	}
}

func TestVirtualTimeOnly(t *testing.T) {
	for text, want := range map[string]string{
		"instances: 2":                        "services.page.instances: ",
		"fixed_window: {rate: 1, window: 1s}": "services.page.fixed_window: ",
		"inbound: {quotas: {q: {rate: 1, mode: leased, store: 'redis://a:1'}}}": "services.page.inbound.quotas.q.mode: ",
	} {
		_, err := real.Play(t.Context(), model(t, `
duration: 1s
services: {page: {`+text+`}}
loads: {users: {to: page, rate: 1}}
`), nil)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

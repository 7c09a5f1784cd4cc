package sim_test

import (
	"strings"
	"testing"
)

const fleet = `
duration: 5s
services:
  api:
    instances: 10
    quota_store: store
    inbound: {quotas: {all: {mode: %s, store: 'redis://r:1', rate: 1000, instances: 10%m}}}
dependencies: {store: {phases: [%p]}}
loads: {users: {to: api, rate: 4000, arrivals: poisson, tenant: {number: 3, zipf: 1}, spread: {zipf: 1}}}
`

const quick = "{latency: 1ms}"

func fleetOf(mode, more, phases string) string {
	return strings.NewReplacer("%s", mode, "%m", more, "%p", phases).Replace(fleet)
}

// A central quota asks its store for every request, and admits exactly the burst
// and what flows in.
func TestCentralQuota(t *testing.T) {
	v := only(t, fleetOf("central", "", quick))
	q, calls := v.Services["api"].Quotas["all"], v.Dependencies["store"].Calls
	if q.Asked != v.Metrics.Requests || calls != q.Asked || q.Failed != 0 {
		t.Errorf("%d requests, asked %d, failed %d, %d calls of the store", v.Metrics.Requests, q.Asked, q.Failed, calls)
	}
	if q.Admitted < 5990 || q.Admitted > 6001 || q.Admitted != v.Metrics.OK || q.Refused != v.Metrics.Refused["quota"] || v.Services["api"].RefusedBy["all"] != q.Refused {
		t.Errorf("%+v, %+v", q, v.Metrics)
	}
	if v.Metrics.OKLatencyMs.P50 != 1 {
		t.Errorf("a round trip takes %v ms", v.Metrics.OKLatencyMs.P50)
	}
}

// A leased one admits as much, with a few round trips; what the instances hold is
// bounded by their slices.
func TestLeasedQuota(t *testing.T) {
	v := only(t, fleetOf("leased", ", max_slice: 50", quick))
	q, calls := v.Services["api"].Quotas["all"], v.Dependencies["store"].Calls
	if q.Admitted < 5800 || q.Admitted > 6001 || q.Asked > v.Metrics.Requests/20 || q.Asked != calls || q.Failed != 0 {
		t.Errorf("%+v, %d requests, %d calls of the store", q, v.Metrics.Requests, calls)
	}
	if q.HeldMax <= 0 || q.HeldMax > 500 {
		t.Errorf("held at most %v", q.HeldMax)
	}
	if q.Used < 1.16 || q.Used > 1.201 {
		t.Errorf("used %v of what flows in", q.Used)
	}
}

// A store that hangs costs each request at most the timeout, and then it goes as
// on_failure says: the calls of the store go on, and fail.
func TestStoreHangs(t *testing.T) {
	for _, c := range []struct {
		mode, onFailure string
		least, most     int64
	}{
		{"central", "open", 19000, 21000},
		{"central", "closed", 0, 0},
		{"central", "local", 4000, 6010},
		{"leased", "open", 18000, 21000},
		{"leased", "closed", 0, 0},
		{"leased", "local", 3500, 6010},
	} {
		text := fleetOf(c.mode, ", on_failure: "+c.onFailure, "{hang: true}")
		if c.onFailure != "local" {
			text = strings.Replace(text, ", instances: 10,", ",", 1)
		}
		v := only(t, text)
		q := v.Services["api"].Quotas["all"]
		if q.Admitted < c.least || q.Admitted > c.most || q.Failed == 0 || q.Failed != q.Asked {
			t.Errorf("%s, %s: %+v", c.mode, c.onFailure, q)
		}
		if v.Metrics.LatencyMs.Max > 51 {
			t.Errorf("%s, %s: somebody waited for %v ms", c.mode, c.onFailure, v.Metrics.LatencyMs.Max)
		}
		if c.mode == "leased" && q.Asked > 300 {
			t.Errorf("%s, %s: asked %d times", c.mode, c.onFailure, q.Asked)
		}
	}
}

// A quota without a store of its own is answered at once; one that is embedded is
// each instance's own.
func TestNoStore(t *testing.T) {
	central := strings.Replace(fleetOf("central", "", quick), "quota_store: store", "", 1)
	if v := only(t, central); v.Services["api"].Quotas["all"].Admitted > 6001 || v.Dependencies["store"].Calls != 0 || v.Metrics.OKLatencyMs.Max != 0 {
		t.Errorf("%+v", v.Services["api"].Quotas)
	}
	embedded := strings.NewReplacer("mode: %s, store: 'redis://r:1', ", "", ", instances: 10%m", "", "%p", quick).Replace(fleet)
	if v := only(t, embedded); v.Services["api"].Quotas["all"].Admitted < 10_000 || v.Services["api"].Quotas["all"].Asked != 0 {
		t.Errorf("%+v", v.Services["api"].Quotas)
	}
}

// A slow store carries out what it was asked though nobody waits any more: the
// next ask finds less.
func TestSlowStoreChargesAllTheSame(t *testing.T) {
	v := only(t, `
duration: 1s
services:
  api:
    quota_store: store
    inbound: {quotas: {all: {mode: central, store: 'redis://r:1', rate: 0.001, burst: 10, on_failure: closed}}}
dependencies: {store: {phases: [{until: 100ms, latency: 200ms}, {latency: 1ms}]}}
loads: {users: {to: api, trace: [0s, 1ms, 2ms, 500ms, 501ms, 502ms, 503ms, 504ms, 505ms, 506ms, 507ms, 508ms]}}
`)
	if q := v.Services["api"].Quotas["all"]; q.Failed != 3 || q.Admitted != 7 || q.Refused != 5 {
		t.Errorf("%+v", q)
	}
}

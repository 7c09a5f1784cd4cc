package lint

import (
	"strings"
	"testing"
)

func TestIntake(t *testing.T) {
	value := func(p *float64) float64 {
		if p == nil {
			return 0
		}
		return *p
	}
	for _, c := range []struct {
		name, text string
		inFlight   int
		perS, can  float64 // 0: not known
		words      string
	}{
		{"nothing", "inbound: {}", 0, 0, 0, "any number of requests in flight\nany number of requests a second"},
		{"the least of two", "inbound: {limits: {a: {rate: 600, window: 1m}, b: {rate: 11}}, concurrency: {limit: 5}}", 5, 10, 0, "10 requests/s by inbound.limits.a"},
		{"a share", "inbound: {quotas: {a: {mode: leased, rate: 50, instances: 5, store: 'redis://c'}}}", 0, 10, 0, "10 requests/s by inbound.quotas.a"},
		{"the whole counts before a wrong number", "service: {instances: 10}\ninbound: {quotas: {a: {mode: leased, rate: 50, instances: 5, store: 'redis://c'}}}", 0, 5, 0, "5 requests/s"},
		{"of nobody knows how many", "inbound: {quotas: {a: {mode: leased, rate: 50, store: 'redis://c'}}, limits: {b: {by: tenant, rate: 5}, c: {by: address, rate: 5}}}", 0, 0, 0, "any number of requests a second"},
		{"each tenant", "service: {tenants: 7}\ninbound: {limits: {b: {by: tenant, rate: 5}}}", 0, 35, 0, "35 requests/s by inbound.limits.b"},
		{"routes", "inbound: {limits: {a: {route: /a, rate: 5}, b: {route: /ab, rate: 7}, c: {route: /a, rate: 9}}}", 0, 12, 0, "12 requests/s by the limits of its routes"},
		{"routes below each other", "inbound: {limits: {a: {route: /a, rate: 5}, b: {route: GET /a/b, rate: 7}}}", 0, 0, 0, "any number of requests a second"},
		{"adaptive", "inbound: {concurrency: {adaptive: {min: 3, max: 30}}}", 0, 0, 0, "between 3 and 30 requests in flight"},
		{"adaptive below a limit", "inbound: {concurrency: {limit: 9, adaptive: {}}}", 9, 0, 0, "9 requests in flight, fewer if"},
		{"what it can do", `service: {workers: 10, rates: {requests: 100, a: 300, b: 50, c: 1}}
dependencies:
  a: {p50: 20ms}
  b: {p50: 50ms}
  c: {p50: 1s}
  unknown: {p50: 10s}
inbound: {}`, 0, 0, 400, "it can do about 400 requests/s: 10 workers / 50ms, the p50 of b of 50 % of the requests"},
		{"fewer places than workers", "service: {workers: 10, rates: {requests: 10, a: 10}}\ndependencies: {a: {p50: 20ms}}\ninbound: {concurrency: {limit: 4}}", 4, 0, 200, "4 requests in flight / 20ms"},
		{"the bulkhead of what is needed", "service: {workers: 10, rates: {requests: 10, a: 10}}\ndependencies: {a: {class: core_read, p50: 20ms, p99: 30ms, bulkhead: {limit: 2}}}\ninbound: {}", 0, 0, 100, "2 places of the bulkhead / 20ms"},
		{"not that of what can be missing", "service: {workers: 10, rates: {requests: 10, a: 10}}\ndependencies: {a: {class: optional_read, p50: 20ms, bulkhead: {limit: 2}}}\ninbound: {}", 0, 0, 500, "10 workers / 20ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := Check(parse(t, "policy.yaml", File(c.text+"\n"))).Inbound
			words := strings.Join(i.Words, "\n")
			if i.InFlight != c.inFlight || value(i.PerS) != c.perS || value(i.CapacityPerS) != c.can || !strings.Contains(words, c.words) {
				t.Errorf("%d in flight, %v/s of %v; want %d, %v of %v, %q in\n%s", i.InFlight, value(i.PerS), value(i.CapacityPerS), c.inFlight, c.perS, c.can, c.words, words)
			}
		})
	}
	if i := Check(parse(t, "policy.yaml", "version: 1\n")).Inbound; i != nil {
		t.Errorf("without a section it takes in %+v", i)
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		wide, narrow string
		want         bool
	}{
		{"", "", true}, {"", "/a", true}, {"/", "GET /a", true}, {"/a", "/a/b", true}, {"/a/", "/a", true}, {"/a", "GET /a", true},
		{"GET /a", "GET /a/b", true}, {"GET /a", "/a", false}, {"GET /a", "POST /a", false}, {"/a", "/ab", false}, {"/a", "", false}, {"/a/b", "/a", false},
		{"GET /a", "HEAD /a/b", true}, {"HEAD /a", "GET /a", false}, // who may GET may HEAD
	} {
		if got := covers(c.wide, c.narrow); got != c.want {
			t.Errorf("%q covers %q: %v, want %v", c.wide, c.narrow, got, c.want)
		}
	}
}

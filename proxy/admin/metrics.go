package admin

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/stanch-go/stanch/proxy"
	"github.com/stanch-go/stanch/proxy/admin/history"
	"github.com/stanch-go/stanch/stanchprom"
)

// metrics serves the metrics of the library, from the proxy's own counts, those of
// the sidecar itself, and those of the process.
func metrics(px *proxy.Proxy) http.Handler {
	reg := prometheus.NewRegistry()
	reg.MustRegister(
		stanchprom.Collector(func() []stanchprom.Sample { return samples(px.Status()) }),
		stanchprom.InboundCollector(func() []stanchprom.InboundSample { return arrivals(px.Status()) }),
		sidecar(px.Status),
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

func samples(s proxy.Status) []stanchprom.Sample {
	var all []stanchprom.Sample
	for _, d := range s.Dependencies {
		running := d.Queued.Count // every attempt that has begun
		for _, ended := range d.Attempts {
			running -= min(running, ended)
		}
		all = append(all, stanchprom.Sample{
			Dependency: history.Key(d),
			Calls:      d.Calls, Attempts: d.Attempts, Refused: d.Refused, RetriesRefused: d.Retries,
			Degraded: d.Degraded, Unanswered: d.Unanswered, Running: int(running),
			Call: seconds(d.Latency), Execution: seconds(d.Executed), Queue: seconds(d.Queued),
			Breaker: d.Breaker, Transitions: d.Transitions, Bulkhead: d.Bulkhead, Balance: d.Balance,
		})
	}
	return all
}

func arrivals(s proxy.Status) []stanchprom.InboundSample {
	if s.Inbound == nil {
		return nil
	}
	return []stanchprom.InboundSample{{Service: s.Inbound.Service, Counts: s.Inbound.Counts, Stats: s.Inbound.Stats}}
}

func seconds(h proxy.Histogram) stanchprom.Histogram {
	return stanchprom.Histogram{Bounds: proxy.Bounds[:], Buckets: h.Buckets[:], Sum: h.Sum}
}

// sidecar collects what only a sidecar has.
type sidecar func() proxy.Status

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("stanch_sidecar_"+name, help, labels, nil)
}

var (
	requests      = describe("requests_in_flight", "Requests in flight, with their waits.", "dependency")
	tunnels       = describe("tunnels", "Tunnels that are open.", "dependency")
	keptAnswers   = describe("kept_answers", "Last good answers that are kept.", "dependency")
	keptBytes     = describe("kept_bytes", "Bytes of the last good answers that are kept.", "dependency")
	faultSet      = describe("fault", "1 while a fault is set.", "dependency")
	connections   = describe("connections", "Connections of clients.", "listener")
	maxConns      = describe("connections_limit", "Most connections of clients that there may be.", "listener")
	undeclared    = describe("undeclared_requests_total", "Requests to what the policy does not declare.")
	loops         = describe("loop_requests_total", "Requests that had come back to the sidecar.")
	draining      = describe("draining", "1 once the sidecar is ending.")
	policySince   = describe("policy_in_force_timestamp_seconds", "When the policy in force came into force.")
	policyRefused = describe("policy_rejected", "1 while the latest policy is refused and an earlier one in force.")
)

func (sidecar) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{requests, tunnels, keptAnswers, keptBytes, faultSet, connections, maxConns, undeclared, loops, draining, policySince, policyRefused} {
		out <- d
	}
}

func (status sidecar) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	s := status()
	for _, d := range s.Dependencies {
		name := history.Key(d)
		gauge(requests, float64(d.InFlight), name)
		gauge(tunnels, float64(d.Tunnels), name)
		gauge(keptAnswers, float64(d.Kept), name)
		gauge(keptBytes, float64(d.KeptBytes), name)
		gauge(faultSet, one(d.Fault != nil), name)
	}
	for name, l := range map[string]*proxy.ListenerStatus{"egress": s.Egress, "ingress": s.Ingress} {
		if l != nil {
			gauge(connections, float64(l.Connections), name)
			gauge(maxConns, float64(l.Most), name)
		}
	}
	for d, n := range map[*prometheus.Desc]uint64{undeclared: s.Undeclared, loops: s.Loops} {
		out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n))
	}
	gauge(draining, one(s.Draining))
	gauge(policySince, float64(s.Policy.Since.UnixMilli())/1000)
	gauge(policyRefused, one(s.Policy.Fault != ""))
}

func one(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

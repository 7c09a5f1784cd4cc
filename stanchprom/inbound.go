package stanchprom

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/shed"
)

// An InboundSample is what is known of the requests to one service at one instant.
type InboundSample struct {
	Service string         // as in inbound.Controller.Name
	Counts  inbound.Counts // as in inbound.Tally.Counts
	Stats   inbound.Stats  // as in inbound.Controller.Stats
}

// InboundCollector returns a collector of the samples that read returns, each of
// another service. read is called at each scrape, possibly by several at once.
func InboundCollector(read func() []InboundSample) prometheus.Collector { return arrivals(read) }

type arrivals func() []InboundSample

func describeInbound(kind prometheus.ValueType, name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc("stanch_inbound_"+name, help, append([]string{"service"}, labels...), nil), kind}
}

var (
	taken       = describeInbound(counter, "requests_total", "Requests on which was decided, by result, and refused ones by reason and by the limit or quota that refused.", "result", "reason", "by", "priority")
	worked      = describeInbound(counter, "ended_total", "Requests that were admitted and are over, by outcome.", "outcome")
	inFlight    = describeInbound(gauge, "in_flight", "Requests that are worked on now.")
	queued      = describeInbound(gauge, "waiting", "Requests that wait for a place now.")
	places      = describeInbound(gauge, "limit", "Most requests in flight at once: of an adaptive limit what it is now.")
	letIn       = describeInbound(gauge, "let_in_ratio", "Share of the users of each priority whose requests are not shed now.", "priority")
	arrivalWait = describeInbound(histogram, "wait_duration_seconds", "Wait of the admitted in the queue and for quotas.")
	workTime    = describeInbound(histogram, "work_duration_seconds", "Work for the admitted, until the end of the answer.")

	allInbound = []metric{taken, worked, inFlight, queued, places, letIn, arrivalWait, workTime}
)

func (arrivals) Describe(out chan<- *prometheus.Desc) {
	for _, m := range allInbound {
		out <- m.Desc
	}
}

func (read arrivals) Collect(out chan<- prometheus.Metric) {
	for _, s := range read() {
		e := emitter{out, s.Service}
		for _, c := range s.Counts.Requests {
			e.value(taken, float64(c.Requests), c.Step.String(), c.Reason.Label(), c.By, c.Priority.String())
		}
		e.counts(worked, s.Counts.Ended)
		now := s.Stats.Shed
		e.value(inFlight, float64(now.InFlight))
		e.value(queued, float64(now.Waiting))
		if now.Limit > 0 {
			e.value(places, float64(now.Limit))
		}
		for p := shed.Sheddable; p <= shed.CriticalPlus; p++ {
			e.value(letIn, now.LetIn(p), p.String())
		}
		e.durations(arrivalWait, inboundHistogram(s.Counts.Wait))
		e.durations(workTime, inboundHistogram(s.Counts.Work))
	}
}

func inboundHistogram(d inbound.Durations) Histogram {
	return Histogram{Bounds: inbound.Bounds[:], Buckets: d.Buckets[:], Sum: d.Sum}
}

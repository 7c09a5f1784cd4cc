package stanchprom

import (
	"github.com/prometheus/client_golang/prometheus"
)

// Collector returns a collector of the samples that read returns, each of another
// dependency. read is called at each scrape, possibly by several at once.
func Collector(read func() []Sample) prometheus.Collector { return collector(read) }

type collector func() []Sample

// A metric is one family of series.
type metric struct {
	*prometheus.Desc
	kind prometheus.ValueType
}

func describe(kind prometheus.ValueType, name, help string, labels ...string) metric {
	return metric{prometheus.NewDesc("stanch_"+name, help, append([]string{"dependency"}, labels...), nil), kind}
}

const (
	counter   = prometheus.CounterValue
	gauge     = prometheus.GaugeValue
	histogram = prometheus.UntypedValue // not asked
)

var (
	calls          = describe(counter, "calls_total", "Logical calls that ended, by result. What an alternative answered afterwards is not taken into account.", "result")
	attempts       = describe(counter, "attempts_total", "Attempts that ended, by result: each try of a call is one.", "result")
	refused        = describe(counter, "refused_total", "Attempts that a guard refused before they began, by reason.", "reason")
	retriesRefused = describe(counter, "retries_refused_total", "Retries that were not begun, by reason.", "reason")
	degraded       = describe(counter, "degraded_total", "Calls that an alternative answered, by source.", "source")
	unanswered     = describe(counter, "unanswered_total", "Calls that no alternative answered either.")
	running        = describe(gauge, "attempts_in_flight", "Attempts that run now.")

	callTime      = describe(histogram, "call_duration_seconds", "Whole calls that made an attempt, with waits and retries.")
	executionTime = describe(histogram, "attempt_duration_seconds", "Each attempt, without the wait before it.")
	queueTime     = describe(histogram, "queue_wait_seconds", "Wait of each attempt in the queue of the bulkhead.")

	state       = describe(gauge, "breaker_state", "1 for the state that the breaker is in, 0 for the others.", "state")
	transitions = describe(counter, "breaker_transitions_total", "Changes of the breaker, by the state that was reached.", "to")
	limit       = describe(gauge, "bulkhead_limit", "Most permits at once.")
	held        = describe(gauge, "bulkhead_in_flight", "Permits that are held, by attempts that run and by those that were given up and linger.")
	lingering   = describe(gauge, "bulkhead_lingering", "Of the permits that are held, those of attempts that were given up.")
	waiting     = describe(gauge, "bulkhead_waiting", "Attempts that wait in the queue.")
	balance     = describe(gauge, "retry_budget_balance", "Retries that the budget would grant now; of a token budget its tokens.")

	all = []metric{
		calls, attempts, refused, retriesRefused, degraded, unanswered, running, callTime, executionTime, queueTime,
		state, transitions, limit, held, lingering, waiting, balance,
	}
)

func (collector) Describe(out chan<- *prometheus.Desc) {
	for _, m := range all {
		out <- m.Desc
	}
}

func (read collector) Collect(out chan<- prometheus.Metric) {
	for _, s := range read() {
		e := emitter{out, s.Dependency}
		e.counts(calls, within(results, s.Calls))
		e.counts(attempts, within(results, s.Attempts))
		e.counts(refused, within(reasons, s.Refused))
		e.counts(retriesRefused, within(reasons, s.RetriesRefused))
		e.counts(degraded, s.Degraded)
		e.value(unanswered, float64(s.Unanswered))
		e.value(running, float64(s.Running))
		e.durations(callTime, s.Call)
		e.durations(executionTime, s.Execution)
		e.durations(queueTime, s.Queue)
		if s.Breaker != "" {
			in := within(states, map[string]uint64{s.Breaker: 1})
			e.counts(state, in)
			e.counts(transitions, within(states, s.Transitions))
		}
		if b := s.Bulkhead; b != nil {
			e.value(limit, float64(b.Limit))
			e.value(held, float64(b.InFlight))
			e.value(lingering, float64(b.Lingering))
			e.value(waiting, float64(b.Waiting))
		}
		if s.Balance != nil {
			e.value(balance, *s.Balance)
		}
	}
}

// An emitter hands out the series of one dependency.
type emitter struct {
	out        chan<- prometheus.Metric
	dependency string
}

func (e emitter) value(m metric, v float64, labels ...string) {
	e.out <- prometheus.MustNewConstMetric(m.Desc, m.kind, v, append([]string{e.dependency}, labels...)...)
}

func (e emitter) counts(m metric, by map[string]uint64) {
	for label, n := range by {
		e.value(m, float64(n), label)
	}
}

func (e emitter) durations(m metric, h Histogram) {
	count, upTo := uint64(0), make(map[float64]uint64, len(h.Bounds))
	for i, n := range h.Buckets {
		count += n
		if i < len(h.Bounds) {
			upTo[h.Bounds[i].Seconds()] = count
		}
	}
	e.out <- prometheus.MustNewConstHistogram(m.Desc, count, h.Sum.Seconds(), upTo, e.dependency)
}

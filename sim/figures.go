package sim

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Result returns the figures of what was recorded. It ends the recording: it is
// called once, when nothing happens any more.
func (r *Recorder) Result() VariantResult {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.series.finish()
	v := VariantResult{
		Metrics:      r.total.metrics(r.model),
		Dependencies: map[string]DependencyResult{},
		Classes:      map[string]Metrics{},
		Series:       r.series,
	}
	v.Metrics.Orphaned = r.orphaned
	if served := v.Metrics.Requests - r.total.turned; served > 0 {
		v.Metrics.Amplification = round(float64(r.calls)/float64(served), 3)
	}
	for _, c := range r.classes {
		v.Classes[c.name] = c.metrics(r.model)
	}
	for name, d := range r.depends {
		v.Dependencies[name] = d.result(r.model)
	}
	for name, d := range r.doors {
		if v.Services == nil {
			v.Services = map[string]ServiceResult{}
		}
		v.Services[name] = d.result(r.model)
	}
	for p, c := range r.ranks {
		if v.Priorities == nil {
			v.Priorities = map[string]PriorityResult{}
		}
		c.SuccessRatio = ratio(c.OK, c.Requests)
		v.Priorities[p.String()] = *c
	}
	return v
}

func (c *class) metrics(m *Model) Metrics {
	out := Metrics{
		Requests: c.sent, OK: c.ok, Degraded: c.degraded, Failed: c.failed, Refused: c.refused,
		Hung:          c.sent - c.ok - c.degraded - c.failed - c.refusals,
		OKLatencyMs:   c.served.quantiles(),
		CompletedPerS: c.perSecond, OKPerS: c.okPerSecond,
	}
	c.others.add(&c.served)
	out.LatencyMs = c.others.quantiles()
	if c.last > 0 {
		answered := c.ok + c.degraded + c.failed + c.refusals - c.turned
		out.ThroughputPerS = round(float64(answered)/time.Duration(c.last).Seconds(), 2)
	}
	out.SuccessRatio = ratio(c.ok, c.sent)
	out.GoodputPerS = round(float64(c.ok)/m.Duration.Seconds(), 2)
	if out.CompletedPerS == nil {
		out.CompletedPerS, out.OKPerS = []int64{}, []int64{}
	}
	if !m.Fault.empty() {
		q := c.fault.quantiles()
		out.FaultLatencyMs = &q
		out.FirstSuccessAfterRecoveryMs = new(sinceFault(c.firstSuccess))
		out.FullRateAfterRecoveryMs = new(-1.0)
		if c.fullDone {
			out.FullRateAfterRecoveryMs = new(sinceFault(max(0, c.fullFrom-int64(m.Fault.To))))
		}
	}
	return out
}

func (d *doorRecord) result(m *Model) ServiceResult {
	seconds := int((m.Duration + time.Second - 1) / time.Second)
	out := ServiceResult{
		Admitted: d.admitted, Refused: d.refused, RefusedBy: d.by, PeakInFlight: d.peak,
		AdmittedPerS: listed(d.perS), InFlightPerS: listed(d.flight.end(seconds)), LimitPerS: listed(d.limit.end(seconds)),
		Quotas: map[string]QuotaResult{},
	}
	for name, q := range d.quotas {
		out.Quotas[name] = QuotaResult{
			Admitted: q.admitted, Refused: q.refused, AdmittedPerS: listed(q.perS), Asked: q.asked, Failed: q.failed, HeldMax: round(q.held, 2),
			Used: round(float64(q.admitted)/max(q.allowed*m.Duration.Seconds(), 1e-9), 4),
		}
	}
	return out
}

// listed is a list that JSON does not show as null.
func listed[T any](values []T) []T {
	if values == nil {
		return []T{}
	}
	return values
}

// ratio is a share to four digits, 0 of nothing.
func ratio(part, of int64) float64 {
	if of == 0 {
		return 0
	}
	return round(float64(part)/float64(of), 4)
}

// sinceFault is an instant after the fault in milliseconds, -1 for none.
func sinceFault(ns int64) float64 {
	if ns < 0 {
		return -1
	}
	return ms(ns)
}

func (d *arrivals) result(m *Model) DependencyResult {
	out := DependencyResult{Calls: d.calls, CallsDuringFault: d.fault, PeakInFlight: d.peak, Transitions: d.transitions}
	if out.Transitions == nil {
		out.Transitions = []Transition{}
	}
	out.Windows = windows(m.Windows, d.windows)
	return out
}

func windows(w Windows, counts []int64) WindowsResult {
	width := w.width()
	out := WindowsResult{WidthMs: ms(int64(width)), Counts: counts}
	if w.To > w.From {
		// Windows at the end in which nothing arrived are counts as well.
		for n := int((w.To - w.From + width - 1) / width); len(out.Counts) < n; {
			out.Counts = append(out.Counts, 0)
		}
	}
	if len(out.Counts) == 0 {
		out.Counts = []int64{}
		return out
	}
	var sum, squares, peak float64
	for _, n := range out.Counts {
		x := float64(n)
		sum += x
		squares += x * x
		peak = max(peak, x)
	}
	n := float64(len(out.Counts))
	mean := sum / n
	perSecond := 1 / width.Seconds()
	out.PeakPerS = round(peak*perSecond, 1)
	out.MeanPerS = round(mean*perSecond, 1)
	if mean > 0 {
		out.PeakToMean = round(peak/mean, 3)
		out.CV = round(math.Sqrt(max(0, squares/n-mean*mean))/mean, 3)
	}
	return out
}

// latencies is a histogram of nanoseconds, with the exact longest beside it.
type latencies struct {
	*hdrhistogram.Histogram
	longest int64
}

func newLatencies() latencies {
	return latencies{Histogram: hdrhistogram.New(1, int64(maxLatency/time.Microsecond), 3)}
}

func (l *latencies) record(ns int64) {
	l.longest = max(l.longest, ns)
	_ = l.RecordValue(min(max(ns, 1000), int64(maxLatency)) / 1000) // within the range by min and max
}

// add adds those of another.
func (l *latencies) add(o *latencies) {
	l.longest = max(l.longest, o.longest)
	l.Merge(o.Histogram)
}

func (l *latencies) quantiles() Quantiles {
	at := func(q float64) float64 {
		if l.TotalCount() == 0 {
			return 0
		}
		return min(significant(float64(l.ValueAtQuantile(q))/1000), ms(l.longest))
	}
	return Quantiles{P50: at(50), P95: at(95), P99: at(99), Max: ms(l.longest)}
}

// significant rounds to the three digits that a histogram has.
func significant(x float64) float64 {
	if x == 0 {
		return 0
	}
	return round(x, 2-int(math.Floor(math.Log10(x))))
}

// ms rounds nanoseconds to milliseconds with two decimals.
func ms(ns int64) float64 { return round(float64(ns)/1e6, 2) }

func round(x float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(x*p) / p
}

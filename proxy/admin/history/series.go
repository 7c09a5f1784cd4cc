package history

import (
	"math"
	"time"

	"github.com/stanch-go/stanch/proxy"
)

// Series are the samples of one dependency in equal columns, the last of which
// ends now.
type Series struct {
	Span time.Duration // of all columns together
	// Answers and Refused are rates a second, by Sources and by Reasons, of each
	// column. Where nothing is known they are 0.
	Answers, Refused [][]float64
	// P50 and P99 are of calls that made an attempt, in milliseconds, estimated
	// from the buckets of the histogram. They and InFlight, the most in a column,
	// are NaN where nothing is known.
	P50, P99, InFlight []float64
	States             []Stretch // of the breaker
	Faults             []Stretch // that were set
}

// A Stretch is a part of the span, counted from its beginning.
type Stretch struct {
	From, To time.Duration
	State    string
}

// spans are the lengths of time that are shown, each with the samples that one
// column has. The shortest one that holds all there is is taken.
var spans = []struct{ samples, column int64 }{{60, 1}, {120, 2}, {300, 5}, {length, 5}}

// Read returns the series of a dependency, by its Key.
func (h *History) Read(key string) Series {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.by[key]
	if r == nil {
		r = &ring{first: h.last + 1}
	}
	span := spans[0]
	for _, s := range spans {
		if span = s; h.last <= s.samples {
			break
		}
	}
	// Columns keep their samples from one reading to the next: they begin at
	// multiples of their width.
	end := (h.last/span.column + 1) * span.column
	from := end - span.samples
	out := Series{
		Span:    time.Duration(span.samples) * step,
		Answers: make([][]float64, len(Sources)), Refused: make([][]float64, len(Reasons)),
	}
	for at := from; at < end; at += span.column {
		out.column(r.sum(h.last, at, at+span.column))
	}
	for n := max(from, r.first, h.last-length+1); n <= h.last; n++ {
		x := r.at(n)
		if !x.known {
			continue
		}
		begin := time.Duration(n-from) * step
		if x.state > 0 {
			out.States = extend(out.States, begin, states[x.state])
		}
		if x.faulty {
			out.Faults = extend(out.Faults, begin, "fault")
		}
	}
	return out
}

// extend lets the last stretch go on for the second that begins at from, or adds
// one.
func extend(all []Stretch, from time.Duration, state string) []Stretch {
	if n := len(all); n > 0 && all[n-1].To == from && all[n-1].State == state {
		all[n-1].To += step
		return all
	}
	return append(all, Stretch{from, from + step, state})
}

// A sum is what several samples have together.
type sum struct {
	seconds  float64 // of which something is known
	answers  [6]float64
	refused  [9]float64
	latency  [len(proxy.Bounds) + 1]float64
	inFlight float64 // the most
}

// sum adds the samples from one number up to another, as far as there are any
// up to last.
func (r *ring) sum(last, from, to int64) (s sum) {
	for n := max(from, r.first, last-length+1); n < to && n <= last; n++ {
		x := r.at(n)
		if !x.known {
			continue
		}
		s.seconds++
		add(s.answers[:], x.answers[:])
		add(s.refused[:], x.refused[:])
		add(s.latency[:], x.latency[:])
		s.inFlight = max(s.inFlight, float64(x.inFlight))
	}
	return s
}

func add(to []float64, x []uint32) {
	for i := range to {
		to[i] += float64(x[i])
	}
}

func (out *Series) column(s sum) {
	rates := func(all [][]float64, counts []float64) {
		for i := range all {
			all[i] = append(all[i], counts[i]/max(1, s.seconds))
		}
	}
	rates(out.Answers, s.answers[:])
	rates(out.Refused, s.refused[:])
	out.P50 = append(out.P50, quantile(s.latency[:], 0.5))
	out.P99 = append(out.P99, quantile(s.latency[:], 0.99))
	if s.seconds == 0 {
		s.inFlight = math.NaN()
	}
	out.InFlight = append(out.InFlight, s.inFlight)
}

// quantile estimates a quantile of durations in milliseconds, as if they were
// evenly spread within their bucket. What is beyond the last bound is taken for it.
func quantile(buckets []float64, q float64) float64 {
	var count float64
	for _, n := range buckets {
		count += n
	}
	if count == 0 {
		return math.NaN()
	}
	rank, below := q*count, 0.0
	var from time.Duration
	for i, n := range buckets {
		if i == len(proxy.Bounds) {
			break
		}
		to := proxy.Bounds[i]
		if n > 0 && below+n >= rank {
			return milliseconds(from) + milliseconds(to-from)*(rank-below)/n
		}
		below, from = below+n, to
	}
	return milliseconds(from)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Now is what a dependency does at present.
type Now struct {
	Rate     float64 // calls that ended, a second
	Live     float64 // the share of them that the dependency answered; NaN when none ended
	Degraded float64 // the share that an alternative answered; NaN when none ended
	P50, P99 float64 // in milliseconds; NaN when none made an attempt
}

// present is over how many samples Now is taken.
const present = 10

// Now returns what a dependency, by its Key, did in the last ten seconds.
func (h *History) Now(key string) Now {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.by[key]
	if r == nil {
		r = &ring{first: h.last + 1}
	}
	s := r.sum(h.last, h.last-present+1, h.last+1)
	var ended float64
	for _, n := range s.answers {
		ended += n
	}
	none := s.answers[len(Sources)-1]
	return Now{
		Rate: ended / max(1, s.seconds), Live: s.answers[0] / ended, Degraded: (ended - s.answers[0] - none) / ended,
		P50: quantile(s.latency[:], 0.5), P99: quantile(s.latency[:], 0.99),
	}
}

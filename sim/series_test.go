package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
)

// TestSeries plays a run by hand. Its steps are 10 ms.
func TestSeries(t *testing.T) {
	const ms = int64(time.Millisecond)
	m := &Model{
		Duration:     1600 * time.Millisecond,
		Services:     Map[Service]{{Key: "page"}},
		Dependencies: Map[Dependency]{{Key: "db"}, {Key: "idle"}},
	}
	r := NewRecorder(m)
	users := r.Class("users")
	request := func(arrived, at int64, how End, reason string) {
		r.Sent(users, arrived*ms)
		r.Completed(users, arrived*ms, at*ms, how, reason)
	}
	request(0, 5, EndOK, "")
	request(9, 10, EndDegraded, "")
	request(12, 19, EndFailed, "")
	request(15, 15, EndRefused, QueueFull)
	request(16, 18, EndRefused, "breaker_open")
	request(1599, 1700, EndOK, "") // after the end of the load
	for i, at := range []int64{0, 1, 25, 55} {
		r.Arrived("db", at*ms)
		r.InFlight("db", at*ms, i+1)
	}
	r.InFlight("db", 56*ms, 1)
	r.Queued("page", 20*ms, 7)
	r.Queued("page", 21*ms, 3)
	r.Queued("a load's own client", 21*ms, 3)
	r.Observe(stanch.Event{Step: stanch.StepTransition, Dependency: "db", At: 30 * ms, From: breaker.Closed, To: breaker.Open})
	r.Observe(stanch.Event{Step: stanch.StepTransition, Dependency: "page", At: 30 * ms})
	r.Observe(stanch.Event{Step: stanch.StepDone, Dependency: "db", At: 30 * ms})
	v := r.Result()
	s := v.Series

	if s.Step != 10*time.Millisecond || len(s.Requests) != 160 || len(s.Answers) != 160 || len(s.P50) != 160 {
		t.Fatalf("%v a step, %d steps", s.Step, len(s.Requests))
	}
	wantRequests := map[int]Counts{0: {OK: 1, Degraded: 1}, 1: {Failed: 1, Refused: 2}, 159: {OK: 1}}
	wantAnswers := map[int]Counts{0: {OK: 1}, 1: {Degraded: 1, Failed: 1, Refused: 2}}
	for i := range 160 {
		if s.Requests[i] != wantRequests[i] {
			t.Errorf("requests in step %d: %+v, want %+v", i, s.Requests[i], wantRequests[i])
		}
		if s.Answers[i] != wantAnswers[i] {
			t.Errorf("answers in step %d: %+v, want %+v", i, s.Answers[i], wantAnswers[i])
		}
		if i > 1 && !(math.IsNaN(s.P50[i]) && math.IsNaN(s.P99[i])) {
			t.Errorf("step %d has a latency, but no answer", i)
		}
	}
	if s.P50[0] != 5 || s.P99[0] != 5 || s.P50[1] != 2 {
		t.Errorf("latencies %v %v, %v; want 5 5, 2", s.P50[0], s.P99[0], s.P50[1])
	}
	db := s.Dependencies["db"]
	if want := []int{2, 0, 1, 0, 0, 1, 0}; !slices.Equal(db.Calls[:7], want) {
		t.Errorf("calls %v, want %v", db.Calls[:7], want)
	}
	if want := []int{2, 2, 3, 3, 3, 4, 1, 1}; !slices.Equal(db.InFlight[:8], want) || db.InFlight[159] != 1 {
		t.Errorf("in flight %v ... %d, want %v ... 1: the level holds on", db.InFlight[:8], db.InFlight[159], want)
	}
	if want := []StateChange{{30 * time.Millisecond, breaker.Open}}; !slices.Equal(db.States, want) {
		t.Errorf("states %v, want %v", db.States, want)
	}
	if q := s.Queues["page"]; q[2] != 7 || q[1] != 0 {
		t.Errorf("queue %v", q[:4])
	}
	if got := v.Dependencies["db"].Transitions; len(got) != 1 || got[0] != (Transition{0.03, "closed", "open"}) {
		t.Errorf("transitions %v", got)
	}
	if m := v.Metrics; m.Requests != 6 || m.OK != 2 || m.Degraded != 1 || m.Failed != 1 || m.Refused[QueueFull] != 1 || m.Refused["breaker_open"] != 1 || m.LatencyMs.Max != 101 {
		t.Errorf("metrics %+v", m)
	}
	if want := []int64{4, 1}; !slices.Equal(v.Metrics.CompletedPerS, want) {
		t.Errorf("completed per second %v, want %v", v.Metrics.CompletedPerS, want)
	}
}

func TestWindows(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name    string
		windows Windows
		arrive  []time.Duration
		want    WindowsResult
	}{
		{"none", Windows{}, nil, WindowsResult{WidthMs: 100, Counts: []int64{}}},
		{"the whole run", Windows{}, []time.Duration{0, s/10 - 1, s / 10, s / 4},
			WindowsResult{WidthMs: 100, Counts: []int64{2, 1, 1}, PeakPerS: 20, MeanPerS: 13.3, PeakToMean: 1.5, CV: 0.354}},
		{"empty ones at the end are counts", Windows{Width: s / 2, From: s, To: 3 * s}, []time.Duration{0, s - 1, s, s, 3 * s},
			WindowsResult{WidthMs: 500, Counts: []int64{2, 0, 0, 0}, PeakPerS: 4, MeanPerS: 1, PeakToMean: 4, CV: 1.732}},
		{"a last part counts as a window", Windows{Width: s, To: 3 * s / 2}, []time.Duration{s},
			WindowsResult{WidthMs: 1000, Counts: []int64{0, 1}, PeakPerS: 1, MeanPerS: 0.5, PeakToMean: 2, CV: 1}},
		{"equal ones do not vary", Windows{Width: s}, []time.Duration{0, s, 2 * s},
			WindowsResult{WidthMs: 1000, Counts: []int64{1, 1, 1}, PeakPerS: 1, MeanPerS: 1, PeakToMean: 1}},
	} {
		r := NewRecorder(&Model{Duration: 4 * s, Windows: c.windows, Dependencies: Map[Dependency]{{Key: "db"}}})
		for _, at := range c.arrive {
			r.Arrived("db", int64(at))
		}
		got := r.Result().Dependencies["db"].Windows
		if !slices.Equal(got.Counts, c.want.Counts) {
			t.Errorf("%s: counts %v, want %v", c.name, got.Counts, c.want.Counts)
		}
		got.Counts, c.want.Counts = nil, nil
		if got.WidthMs != c.want.WidthMs || got.PeakPerS != c.want.PeakPerS || got.MeanPerS != c.want.MeanPerS || got.PeakToMean != c.want.PeakToMean || got.CV != c.want.CV {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestRecovery: what the figures after a fault say of runs made by hand. The
// fault ends at one second.
func TestRecovery(t *testing.T) {
	type request struct {
		arrived, at int64 // milliseconds
		how         End
	}
	every := func(from, to int64, how End) (all []request) {
		for at := from; at < to; at += 10 {
			all = append(all, request{at, at + 5, how})
		}
		return all
	}
	for _, c := range []struct {
		name        string
		requests    []request
		first, full float64
	}{
		{"never", every(0, 3000, EndFailed), -1, -1},
		{"at once", every(0, 3000, EndOK), 5, 0},
		{"begun before, answered after", append([]request{{900, 1002, EndOK}}, every(1010, 3000, EndFailed)...), 2, -1},
		{"late", slices.Concat(every(1000, 1500, EndDegraded), every(1500, 3000, EndOK)), 505, 500},
		{"a relapse", slices.Concat(every(1000, 1400, EndOK), every(1400, 1500, EndFailed), every(1500, 3000, EndOK)), 5, 500},
		{"too short to tell", every(1000, 1400, EndOK), 5, -1},
		{"what was begun before and fails later does not count", append(every(1000, 1100, EndOK), append([]request{{999, 1200, EndFailed}}, every(1110, 2000, EndOK)...)...), 5, 0},
	} {
		r := NewRecorder(&Model{Duration: 3 * time.Second, Fault: Interval{0, time.Second}})
		users := r.Class("users")
		for _, q := range c.requests {
			r.Sent(users, q.arrived*1e6)
			r.Completed(users, q.arrived*1e6, q.at*1e6, q.how, "")
		}
		m := r.Result().Metrics
		if *m.FirstSuccessAfterRecoveryMs != c.first || *m.FullRateAfterRecoveryMs != c.full {
			t.Errorf("%s: first success after %v, full rate after %v; want %v, %v", c.name, *m.FirstSuccessAfterRecoveryMs, *m.FullRateAfterRecoveryMs, c.first, c.full)
		}
	}
}

// A sketch keeps at least half of its size of a step's latencies, evenly spread
// over it, also when they rise all the while: the ranks of its quantiles are near.
func TestSketchIsNear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 100, sketchSize, sketchSize + 1, 5000, 100_000} {
		for name, value := range map[string]func(i int) int64{
			"random": func(int) int64 { return int64(r.ExpFloat64() * 1e12) },
			"rising": func(i int) int64 { return int64(i) * 1e6 },
		} {
			var k sketch
			all := make([]int64, n)
			for i := range all {
				all[i] = value(i)
				k.add(all[i])
			}
			if len(k.values) > sketchSize || n >= sketchSize && len(k.values) < sketchSize/2 {
				t.Errorf("of %d %s values %d are kept", n, name, len(k.values))
			}
			slices.Sort(all)
			p50, p99 := k.quantiles()
			for q, got := range map[float64]float64{0.5: p50, 0.99: p99} {
				rank, _ := slices.BinarySearch(all, int64(got*1e6))
				if off := math.Abs(float64(rank)/float64(n) - q); off > 0.08 && off*float64(n) > 1.5 {
					t.Errorf("the %v quantile of %d %s values has rank %d", q, n, name, rank)
				}
			}
			if n <= sketchSize && p50 != ms(all[(n-1)/2]) {
				t.Errorf("the median of %d %s values is %v, want exactly %v", n, name, p50, ms(all[(n-1)/2]))
			}
		}
	}
}

// The latencies of the whole run are kept to three digits, the longest exactly.
func TestQuantilesHaveThreeDigits(t *testing.T) {
	l := newLatencies()
	for i := range int64(1000) {
		l.record((i + 1) * 1_234_567)
	}
	l.record(int64(time.Hour))
	q := l.quantiles()
	for _, c := range []struct{ got, want float64 }{{q.P50, 1.234567 * 501}, {q.P95, 1.234567 * 951}, {q.P99, 1.234567 * 991}} {
		if math.Abs(c.got-c.want) > 0.004*c.want {
			t.Errorf("got %v, want about %v", c.got, c.want)
		}
	}
	if q.Max != 3_600_000 {
		t.Errorf("the longest is %v", q.Max)
	}
	if empty := newLatencies(); empty.quantiles() != (Quantiles{}) {
		t.Error("quantiles of nothing")
	}
}

// Steps are never shorter than a millisecond, and cover every duration.
func TestSeriesCoversTheRun(t *testing.T) {
	for _, d := range []time.Duration{1, time.Millisecond, time.Second, time.Second + 1, 24 * time.Hour} {
		s := newSeries(&Model{Duration: d})
		if s.Step < time.Millisecond || s.Step*time.Duration(len(s.Requests)) < d || len(s.Requests) > steps {
			t.Errorf("%v: %d steps of %v", d, len(s.Requests), s.Step)
		}
		if i := s.index(int64(d) - 1); i >= len(s.Requests) {
			t.Errorf("%v: the last instant is in step %d of %d", d, i, len(s.Requests))
		}
	}
}

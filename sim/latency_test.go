package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/random"
)

// samples is how many are drawn for a distribution. By the inequality of
// Dvoretzky, Kiefer and Wolfowitz the share of samples below any bound is then
// off by more than far with a probability of one in a hundred million.
const samples = 100_000

var far = math.Sqrt(math.Log(2/1e-8) / (2 * samples))

func TestLatencyForms(t *testing.T) {
	const ms = time.Millisecond
	normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, c := range []struct {
		latency Latency
		share   func(at time.Duration) float64 // of latencies that are shorter
	}{
		{Latency{Min: 10 * ms, Max: 30 * ms}, func(at time.Duration) float64 {
			return min(1, max(0, float64(at-10*ms)/float64(20*ms)))
		}},
		{Latency{Max: 30 * ms}, func(at time.Duration) float64 { return min(1, float64(at)/float64(30*ms)) }},
		{Latency{Mean: 20 * ms}, func(at time.Duration) float64 { return 1 - math.Exp(-float64(at)/float64(20*ms)) }},
		{Latency{P50: 10 * ms, P99: 80 * ms}, func(at time.Duration) float64 {
			return normal(math.Log(float64(at)/float64(10*ms)) / math.Log(8) * math.Sqrt2 * math.Erfinv(0.98))
		}},
	} {
		r := random.New(7)
		drawn := make([]time.Duration, samples)
		for i := range drawn {
			drawn[i] = c.latency.Draw(r)
		}
		slices.Sort(drawn)
		if drawn[0] < c.latency.Min || c.latency.Max > 0 && drawn[samples-1] > c.latency.Max {
			t.Errorf("%v: drew %v to %v", c.latency, drawn[0], drawn[samples-1])
		}
		for _, at := range []time.Duration{5 * ms, 10 * ms, 20 * ms, 29 * ms, 80 * ms, 150 * ms} {
			below, _ := slices.BinarySearch(drawn, at)
			if got, want := float64(below)/samples, c.share(at); math.Abs(got-want) > far {
				t.Errorf("%v: %.4f are below %v, want %.4f", c.latency, got, at, want)
			}
		}
	}
}

func TestConstantLatencyDrawsNothing(t *testing.T) {
	one, other := random.New(1), random.New(1)
	if d := (Latency{Constant: time.Second}).Draw(one); d != time.Second {
		t.Error(d)
	}
	if one.Uint64() != other.Uint64() {
		t.Error("a constant took a random number")
	}
}

// A draw that is longer than a Duration can tell once became a negative one,
// and the call was answered at once.
func TestLatencySaturates(t *testing.T) {
	for _, l := range []Latency{{Mean: math.MaxInt64}, {P50: 1, P99: math.MaxInt64}, {Min: math.MaxInt64 - 1, Max: math.MaxInt64}} {
		r := random.New(1)
		for range 1000 {
			if d := l.Draw(r); d < 0 {
				t.Fatalf("%v: drew %v", l, d)
			}
		}
	}
}

func TestLatencyString(t *testing.T) {
	for l, want := range map[Latency]string{
		{Constant: time.Second}: "1s", {}: "0s",
		{Min: 1, Max: 2}: "1ns to 2ns", {Mean: 3}: "exponential, mean 3ns", {P50: 1, P99: 2}: "log-normal, p50 1ns, p99 2ns",
	} {
		if got := l.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestStreamsAreNotEachOther: streams whose seeds were a step of the generator
// apart were once the same numbers, shifted by one: what one client drew the
// next drew after it, and random waits came in step.
func TestStreamsAreNotEachOther(t *testing.T) {
	const n = 2000
	w := &world{model: &Model{Seed: 1}}
	streams := map[string]*rand.Rand{}
	for _, name := range []string{"service/a", "service/b", "service/c", "dependency/a", "load/a", "load/b", "guard/a to b", "guard/b to a"} {
		streams[name] = w.stream(name)
	}
	w2 := &world{model: &Model{Seed: 2}}
	streams["another seed's"] = w2.stream("service/a")
	owner := map[uint64]string{}
	drawn := map[string][]float64{}
	for name, r := range streams {
		for range n {
			x := r.Uint64()
			if other, ok := owner[x]; ok {
				t.Fatalf("%s and %s have a number in common: one is a copy of the other", name, other)
			}
			owner[x] = name
			drawn[name] = append(drawn[name], float64(x>>11)/(1<<53)-0.5)
		}
	}
	for a, x := range drawn {
		for b, y := range drawn {
			for lag := range 3 {
				sum := 0.0
				for i := range n - lag {
					sum += x[i] * y[i+lag]
				}
				// A product has the deviation 1/12: five of them for the sum.
				if limit := 5 * math.Sqrt(n) / 12; (a != b || lag > 0) && math.Abs(sum) > limit {
					t.Errorf("%s and %s go together at lag %d: %.1f, limit %.1f", a, b, lag, sum, limit)
				}
			}
		}
	}
}

func TestStreamsAreRepeatable(t *testing.T) {
	w := &world{model: &Model{Seed: 1}}
	if w.stream("x").Uint64() != w.stream("x").Uint64() {
		t.Error("a name gives several streams")
	}
}

package sim

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/random"
)

func instants(l Load, d time.Duration) (all []int64) {
	s := l.Schedule(&Model{Duration: d}, random.New(1))
	for {
		at, ok := s.Next()
		if !ok {
			return all
		}
		all = append(all, at)
	}
}

func TestSchedule(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name string
		load Load
		want []int64
	}{
		{"even", Load{Rate: 2}, []int64{0, 5e8, 1e9, 15e8}},
		{"even, a part of the time", Load{Rate: 2, From: s / 4, Until: s}, []int64{25e7, 75e7}},
		{"less than one", Load{Rate: 0.1}, []int64{0}},
		{"does not drift", Load{Rate: 3, Until: s + 1}, []int64{0, 333333333, 666666666, 1e9}},
		{"at instants", Load{Trace: []time.Duration{0, 5, 5, s, 3 * s}}, []int64{0, 5, 5, 1e9}},
		{"at instants from another", Load{From: s, Trace: []time.Duration{0, s - 1, s}}, []int64{1e9, 2e9 - 1}},
		{"slower than time itself", Load{Rate: 1e-300}, []int64{0}},
		{"an empty trace is none", Load{Rate: 1, Trace: []time.Duration{}}, []int64{0, 1e9}},
	} {
		if got := instants(c.load, 2*s); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	if got := instants(Load{Rate: 1e-300, Arrivals: Poisson}, 2*s); len(got) > 0 {
		t.Errorf("a Poisson process slower than time itself: %v", got)
	}
}

// A Poisson process has as much variance as mean in any window, and its gaps
// are exponential.
func TestPoissonArrivals(t *testing.T) {
	const rate, seconds = 100.0, 1000
	all := instants(Load{Rate: rate, Arrivals: Poisson, From: time.Second}, (1+seconds)*time.Second)
	if !slices.IsSorted(all) || all[0] < 1e9 {
		t.Fatal("out of order, or too early")
	}
	counts := make([]float64, seconds)
	long := 0.0
	for i, at := range all {
		counts[at/1e9-1]++
		if i > 0 && at-all[i-1] > 1e9/rate {
			long++
		}
	}
	mean, variance := 0.0, 0.0
	for _, n := range counts {
		mean += n / seconds
	}
	for _, n := range counts {
		variance += (n - mean) * (n - mean) / (seconds - 1)
	}
	// Five deviations of each estimate.
	if math.Abs(mean-rate) > 5*math.Sqrt(rate/seconds) {
		t.Errorf("%v a second, want %v", mean, rate)
	}
	if math.Abs(variance/mean-1) > 5*math.Sqrt(2.0/seconds) {
		t.Errorf("variance by mean is %v, want 1", variance/mean)
	}
	if share := long / float64(len(all)); math.Abs(share-1/math.E) > 0.01 {
		t.Errorf("%v of the gaps are longer than the mean, want 1/e", share)
	}
}

package adaptive

import (
	"math"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

// FuzzPermits compares the limiter with a set of tickets and the plain rule:
// admitted if and only if fewer are in flight than the limit says.
func FuzzPermits(f *testing.F) {
	f.Add([]byte{0, 1, 0, 9, 0, 2, 1, 0, 2, 0, 3, 0, 4, 200})
	f.Add([]byte{2, 1, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 9, 9})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 {
			return
		}
		cfg := Config{Algorithm: []Algorithm{Gradient, Vegas, AIMD}[data[0]%3], Min: 1, Max: 1 + int(data[1]%8), Window: time.Millisecond}
		l := must(New(cfg))
		open := map[Permit]bool{}
		var all []Permit
		now := int64(0)
		for i, b := range data[2:] {
			now += int64(int8(b)) * int64(time.Millisecond) / 4
			if b%2 == 0 {
				limit := l.Limit()
				p, ok := l.AcquireAt(now)
				if ok != (len(open) < limit) {
					t.Fatalf("step %d: %d in flight of %d, admitted %v", i, len(open), limit, ok)
				}
				if ok {
					if _, seen := open[p]; seen {
						t.Fatalf("step %d: %v was given before", i, p)
					}
					open[p] = true
					all = append(all, p)
				}
			} else if len(all) > 0 {
				p := all[int(b/2)%len(all)]
				l.DoneAt(now, p, outcome.Outcome(b%3), time.Duration(b)*time.Millisecond)
				delete(open, p)
			}
			if s := l.Stats(); s.InFlight != len(open) || s.Limit < 1 || s.Limit > cfg.Max {
				t.Fatalf("step %d: %+v, %d in flight", i, s, len(open))
			}
		}
	})
}

// FuzzTally compares a window with a list of its calls.
func FuzzTally(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 250, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		var w tally
		var took []float64
		lost, peak := 0, 0
		for i, b := range data {
			d := time.Duration(b) * time.Duration(b) * time.Microsecond
			w.add(int64(i), int(b%16), b%5 == 0, d)
			peak = max(peak, int(b%16))
			if b%5 == 0 {
				lost++
			} else {
				took = append(took, float64(max(d, 1)))
			}
		}
		sum, squares := 0.0, 0.0
		for _, x := range took {
			sum += x
		}
		mean := sum / max(float64(len(took)), 1)
		for _, x := range took {
			squares += (x - mean) * (x - mean)
		}
		doubt := math.Sqrt(squares) / max(float64(len(took)), 1)
		got := w.sample()
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-3*mean+1e-9 }
		if got.calls != len(data) || got.lost != lost || got.peak != peak || !near(got.latency, mean) || !near(got.doubt, doubt) {
			t.Fatalf("%+v, want %d calls, %d lost, peak %d, %v ± %v", got, len(data), lost, peak, mean, doubt)
		}
	})
}

// FuzzControl tells the controller anything, and wants a limit in its bounds
// and a base that is a time.
func FuzzControl(f *testing.F) {
	f.Add(uint8(0), []byte{10, 20, 0, 200, 30, 40, 0, 255, 10, 1, 0, 3})
	f.Fuzz(func(t *testing.T, algorithm uint8, data []byte) {
		cfg := Config{Algorithm: []Algorithm{Gradient, Vegas, AIMD}[algorithm%3], Min: 1, Max: 300, ProbeEvery: time.Second}.Effective()
		c := newControl(cfg)
		now := int64(0)
		for len(data) >= 4 {
			now += int64(int8(data[0])) * 100 * ms
			calls := 50 + int(data[1])
			s := sample{calls: calls, lost: calls * int(data[2]) / 1000, peak: int(data[1]) + 1, latency: 1 + math.Exp2(float64(data[3])/4), doubt: float64(data[2])}
			data = data[4:]
			c.update(now, s)
			if !(c.limit >= 1 && c.limit <= 300) || !(c.base >= 0) || math.IsInf(c.base, 0) {
				t.Fatalf("limit %v, base %v after %+v", c.limit, c.base, s)
			}
		}
	})
}

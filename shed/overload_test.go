package shed

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/internal/golden"
)

// mixed is what the users of the worlds want: critical requests fit at five times the
// capacity, all else does not.
var mixed = [priorities]float64{0.49, 0.39, 0.10, 0.02}

func times(load float64) func(int64) float64 { return constant(400 * load) }

// Five times what 20 places can take, of four priorities.
func TestOverload(t *testing.T) {
	unloaded := world{cfg: Config{Limit: 20}, rate: times(0.3), mix: mixed, users: 5000, service: around(50 * ms)}
	unloaded.play(30)
	p99 := unloaded.quantile(0.99)
	for _, load := range []float64{1.5, 2, 5, 10} {
		w := world{cfg: Config{Limit: 20}, rate: times(load), mix: mixed, users: 5000, service: around(50 * ms)}
		h := w.play(35)[5:]
		if got := float64(sum(h, served)) / float64(len(h)) / 400; got < 0.95 {
			t.Errorf("%vx: %.3f of the capacity is used", load, got)
		}
		for p := Critical; p <= CriticalPlus; p++ {
			i := p.index()
			of := sum(h, func(s stretch) int { return s.offered[i] })
			got := float64(sum(h, func(s stretch) int { return s.served[i] })) / float64(of)
			if load*400*(mixed[2]+mixed[3]) > 400 && p == Critical {
				continue // they do not fit
			}
			if got < 0.995 {
				t.Errorf("%vx: %.4f of the %v requests are served", load, got, p)
			}
		}
		if got := w.quantile(0.99); got > 2*p99 {
			t.Errorf("%vx: the 99th percentile of those served is %v, %v without load", load, got, p99)
		}
	}
}

// The threshold does not oscillate: from second to second neither what is served
// nor how much of the rest is refused for its rank moves by much.
func TestNoOscillation(t *testing.T) {
	w := world{cfg: Config{Limit: 20}, rate: times(5), mix: mixed, users: 5000, service: around(50 * ms)}
	lowest, highest := ranks, 0
	for i, s := range w.play(40)[3:] {
		lowest, highest = min(lowest, s.lowest), max(highest, s.lowest)
		if n := served(s); n < 360 || n > 430 {
			t.Errorf("second %d: %d served of 400", i+3, n)
		}
		if n := s.reasons[Rank]; n < 1350 || n > 1700 {
			t.Errorf("second %d: %d refused of about 1530", i+3, n)
		}
	}
	if highest-lowest > 40 {
		t.Errorf("the threshold is from %d to %d", lowest, highest)
	}
}

// What is refused rises smoothly with the load, and with it only.
func TestRefusalsRiseSmoothly(t *testing.T) {
	before := -0.01
	for _, load := range []float64{0.5, 0.7, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4} {
		w := world{cfg: Config{Limit: 20}, rate: times(load), mix: mixed, service: around(50 * ms)}
		h := w.play(25)[5:]
		offered := sum(h, func(s stretch) int { return s.offered[0] + s.offered[1] + s.offered[2] + s.offered[3] })
		got := 1 - float64(sum(h, served))/float64(offered)
		if got < before-0.02 || got > before+0.2 {
			t.Errorf("%vx: %.3f are refused, at the load before %.3f", load, got, before)
		}
		if least := max(0, 1-1/load); got < least-0.02 || got > least+0.11 {
			t.Errorf("%vx: %.3f are refused, have to be %.3f", load, got, least)
		}
		before = got
	}
}

// When the load is gone, so is the refusing, within a second.
func TestLoadGoes(t *testing.T) {
	w := world{cfg: Config{Limit: 20}, mix: mixed, users: 5000, service: around(50 * ms),
		rate: func(at int64) float64 {
			if at < 10*second {
				return 2000
			}
			return 200
		}}
	h := w.play(20)
	for i, s := range h[11:] {
		if len(s.reasons) > 0 {
			t.Errorf("%d s after the overload: %v", i+1, s.reasons)
		}
	}
	if n := h[10].reasons[Rank]; n > 120 {
		t.Errorf("%d were refused in the first second", n)
	}
}

// One user is wholly in or wholly out: at five times the load few levels see both.
func TestUsersAreWhollyInOrOut(t *testing.T) {
	w := world{cfg: Config{Limit: 20}, rate: times(1.4), mix: [priorities]float64{1}, users: 5000, service: around(50 * ms)}
	w.play(120)
	if len(w.fates) != Levels {
		t.Fatalf("%d levels", len(w.fates))
	}
	in, out := 0, 0
	for level, f := range w.fates {
		share := float64(f[0]) / float64(f[0]+f[1])
		switch {
		case share < 0.05:
			out++
		case share > 0.8: // the rest did not find a place in time
			in++
		}
		if level > 64 && share < 0.6 {
			t.Errorf("level %d: %v are served and refused", level, f)
		}
	}
	if in < 60 || out < 5 || in+out < 95 {
		t.Errorf("%d levels are in, %d are out, of %d", in, out, Levels)
	}
}

// Who cannot be served in time is refused on arrival, and costs nothing more; when
// the service is quick again, that is noticed.
func TestBudgets(t *testing.T) {
	w := world{cfg: Config{Limit: 20}, rate: times(0.5), mix: mixed, budget: 60 * ms,
		service: func(at int64, rnd *rand.Rand) int64 {
			if at > 10*second && at < 20*second {
				return around(300*ms)(at, rnd)
			}
			return around(30*ms)(at, rnd)
		}}
	h := w.play(30)
	if n := sum(h[13:20], func(s stretch) int { return s.reasons[Deadline] }); n < 1000 {
		t.Errorf("%d of 1400 were refused for their time", n)
	}
	if n := sum(h[23:], func(s stretch) int { return s.reasons[Deadline] }); n > 20 {
		t.Errorf("%d are still refused when there is time enough", n)
	}
}

func picture(about string, history []stretch) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\n second  offered  served  of these       crit+  crit  shed+  shed   refused for rank, in the queue\n", about)
	for i, s := range history {
		offered := s.offered[0] + s.offered[1] + s.offered[2] + s.offered[3]
		bar := strings.Repeat("#", served(s)/25)
		fmt.Fprintf(&out, "%7d %8d %7d  %-17s %4d %5d %6d %5d %9d %6d\n", i, offered, served(s), bar,
			s.served[3], s.served[2], s.served[1], s.served[0], s.reasons[Rank], s.reasons[Full]+s.reasons[Delay])
	}
	return out.String()
}

// The picture is for review by eye; what matters in it is asserted above.
func TestPicture(t *testing.T) {
	w := world{cfg: Config{Limit: 20}, mix: mixed, users: 5000,
		rate: func(at int64) float64 {
			switch {
			case at < 5*second, at >= 15*second && at < 20*second:
				return 200
			default:
				return 2000
			}
		},
		service: func(at int64, rnd *rand.Rand) int64 {
			if at >= 25*second && at < 32*second {
				return around(100*ms)(at, rnd)
			}
			return around(50*ms)(at, rnd)
		}}
	got := picture("20 places of 50 ms, so 400 requests a second; from 25 to 32 s a request takes 100 ms", w.play(40))
	const path = "testdata/overload.txt"
	golden.Check(t, path, got)
}

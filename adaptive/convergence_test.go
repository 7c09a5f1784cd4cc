package adaptive

import (
	"math/rand/v2"
	"testing"
)

// What the pictures show, in figures. The worlds are those of the pictures; the
// capacity is 40 but where it is halved.
func TestConvergence(t *testing.T) {
	type figures struct {
		from, to  int     // seconds
		near      float64 // the limit, each second, is within tolerance of this
		tolerance float64
		goodput   float64 // calls a second on average, at least
	}
	for _, tt := range []struct {
		name string
		want []figures
	}{
		// From 20 to 40 in 5 s, and steady.
		{"steady", []figures{{8, 90, 50, 0.35, 780}}},
		// The dependency takes three times as long with as many workers: the
		// limit is to stay. Back to normal, it is to be found again in 10 s.
		{"latency", []figures{{8, 20, 50, 0.35, 780}, {30, 50, 50, 0.35, 255}, {62, 85, 50, 0.35, 780}}},
		// Nine seconds after the outage all is as before.
		{"timeouts", []figures{{8, 20, 50, 0.35, 780}, {60, 80, 50, 0.35, 770}}},
		// A noisy mixture is not taken for a queue: nobody starves.
		{"modes", []figures{{10, 90, 60, 0.75, 700}}},
		// A pause of 3 % of the time costs no more than that.
		{"pauses", []figures{{8, 90, 50, 0.45, 750}}},
		// What was not in use is not known to be too much.
		{"quiet", []figures{{0, 60, 20, 0, 25}, {66, 90, 50, 0.35, 770}}},
		{"capacity", []figures{{8, 20, 50, 0.35, 780}, {27, 50, 26, 0.5, 380}, {56, 90, 50, 0.35, 770}}},
	} {
		for _, algorithm := range []Algorithm{Gradient, Vegas} {
			h := played(t, tt.name, algorithm)
			for _, f := range tt.want {
				part := h[f.from:f.to]
				if got := calm(part, f.near); got > f.tolerance {
					t.Errorf("%s, %s, %d to %d s: the limit is up to %.0f %% off %v", tt.name, algorithm, f.from, f.to, got*100, f.near)
				}
				if got := mean(part, okOf); got < f.goodput {
					t.Errorf("%s, %s, %d to %d s: %.0f calls a second, want %v", tt.name, algorithm, f.from, f.to, got, f.goodput)
				}
			}
		}
	}
}

// calm is how far the limit is from a value, leaving out the seconds of probes.
func calm(history []stretch, near float64) float64 {
	worst := 0.0
	for i, s := range history {
		probing := false
		for _, r := range history[max(i-2, 0):min(i+3, len(history))] {
			probing = probing || r.reason == Probed || r.reason == Learned
		}
		if !probing {
			worst = max(worst, within([]stretch{s}, limitOf, near))
		}
	}
	return worst
}

// While everything times out, the limit goes to its floor within ten timeouts, and
// is never near its ceiling, whatever the algorithm and however long it takes.
func TestTimeoutsEndAtTheFloor(t *testing.T) {
	for _, algorithm := range []Algorithm{Gradient, Vegas, AIMD} {
		w := world{
			cfg:  Config{Algorithm: algorithm, Max: 200},
			rate: constant(200.0), workers: constant(40), timeout: second, service: fixed(50 * ms),
			paused: func(at int64) int64 {
				if at >= 20*second {
					return 1 << 62
				}
				return 0
			},
		}
		h := w.play(600)
		for i, s := range h[32:] {
			if s.highest > 4 {
				t.Fatalf("%s: the limit is %d, %d s into the outage", algorithm, s.highest, i+12)
			}
		}
		if algorithm == AIMD {
			continue // it has no latency
		}
		if base := float64(w.limiter.Stats().Base) / float64(ms); base < 40 || base > 60 {
			t.Errorf("%s: after ten minutes of timeouts a call is thought to take %v ms, was 50", algorithm, base)
		}
	}
}

// Any capacity is found, from one worker to 300, with service times that are
// even, or exponential and so as noisy as they get.
func TestAnyCapacity(t *testing.T) {
	exponential := func(_ int64, rnd *rand.Rand) int64 { return int64(rnd.ExpFloat64()*float64(50*ms)) + 1 }
	for _, tt := range []struct {
		name    string
		workers int
		service func(int64, *rand.Rand) int64
		least   float64 // limit over capacity
		most    float64
		goodput float64 // share of the capacity
	}{
		{"one worker", 1, fixed(50 * ms), 1, 3.5, 0.85},
		{"four", 4, fixed(50 * ms), 0.9, 2.5, 0.93},
		{"four, noisy", 4, exponential, 0.8, 2.8, 0.9},
		{"40, noisy", 40, exponential, 0.95, 1.6, 0.95},
		{"100", 100, fixed(50 * ms), 1, 1.5, 0.95},
	} {
		for seed := range uint64(2) {
			capacity := float64(tt.workers) * 20
			w := world{cfg: Config{Min: 1}, rate: constant(2 * capacity), workers: constant(tt.workers), service: tt.service, seed: seed}
			h := w.play(110)[50:]
			if got := mean(h, limitOf) / float64(tt.workers); got < tt.least || got > tt.most {
				t.Errorf("%s, seed %d: the limit is %.2f of the capacity", tt.name, seed, got)
			}
			if got := mean(h, okOf) / capacity; got < tt.goodput {
				t.Errorf("%s, seed %d: %.3f of the capacity is used", tt.name, seed, got)
			}
		}
	}
}

// A share of errors that there always is does not keep the limit down.
func TestOrdinaryErrorsAreNoOverload(t *testing.T) {
	c := newControl(Config{}.Effective())
	for i := range int64(20) {
		c.update(i*second, sample{calls: 100, lost: 4, peak: int(c.limit), latency: 50e6})
	}
	if c.limit < 60 {
		t.Errorf("the limit is %v", c.limit)
	}
}

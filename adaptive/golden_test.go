package adaptive

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/internal/golden"
)

// incidents are the worlds of the pictures.
var incidents = []struct {
	name, about string
	seconds     int
	world       world
}{
	{"steady", "40 workers of 50 ms, so 800 calls a second; 1600 are wanted", 90, world{
		rate: constant(1600.0), workers: constant(40), service: fixed(50 * ms)}},
	{"latency", "40 workers of 50 ms, from 20 s on of 150 ms and from 50 s on of 50 ms again; 1600 calls a second are wanted", 90, world{
		rate: constant(1600.0), workers: constant(40),
		service: func(at int64, rnd *rand.Rand) int64 {
			if at >= 20*second && at < 50*second {
				return around(150*ms, rnd)
			}
			return around(50*ms, rnd)
		}}},
	{"timeouts", "40 workers of 50 ms that hang from 20 to 50 s; callers wait 1 s; 1600 calls a second are wanted", 80, world{
		rate: constant(1600.0), workers: constant(40), timeout: second,
		service: fixed(50 * ms),
		paused: func(at int64) int64 {
			if at >= 20*second && at < 50*second {
				return 50 * second
			}
			return 0
		}}},
	{"modes", "40 workers; 9 calls of 10 take 5 ms, one takes 455 ms; 1600 calls a second are wanted", 90, world{
		rate: constant(1600.0), workers: constant(40),
		service: func(_ int64, rnd *rand.Rand) int64 {
			if rnd.IntN(10) == 0 {
				return around(455*ms, rnd)
			}
			return around(5*ms, rnd)
		}}},
	{"pauses", "40 workers of 50 ms; every 10 s nothing ends for 300 ms; 1600 calls a second are wanted", 90, world{
		rate: constant(1600.0), workers: constant(40), service: fixed(50 * ms),
		paused: func(at int64) int64 {
			if from := at / (10 * second) * 10 * second; from > 0 && at < from+300*ms {
				return from + 300*ms
			}
			return 0
		}}},
	{"quiet", "40 workers of 50 ms; 30 calls a second, and 1600 from 60 s on", 90, world{
		rate: func(at int64) float64 {
			if at < 60*second {
				return 30
			}
			return 1600
		}, workers: constant(40), service: fixed(50 * ms)}},
	{"capacity", "40 workers of 50 ms, from 20 to 50 s only 20; 1600 calls a second are wanted", 90, world{
		rate: constant(1600.0), service: fixed(50 * ms),
		workers: func(at int64) int {
			if at >= 20*second && at < 50*second {
				return 20
			}
			return 40
		}}},
}

// histories are those of the incidents, played once for the pictures and the figures.
var histories = map[string][]stretch{}

func played(t *testing.T, name string, algorithm Algorithm) []stretch {
	for _, in := range incidents {
		if in.name != name {
			continue
		}
		key := name + " " + string(algorithm)
		if histories[key] == nil {
			w := in.world
			w.cfg = Config{Algorithm: algorithm}
			if algorithm == AIMD {
				w.timeout = 300 * ms // it needs losses
			}
			histories[key] = w.play(in.seconds)
		}
		return histories[key]
	}
	t.Fatalf("no incident %s", name)
	return nil
}

func picture(about string, history []stretch, capacity func(int64) int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n\n second  limit   ok/s  lost  ms a call\n", about)
	for i, s := range history {
		took := 0.0
		if s.ok > 0 {
			took = float64(s.took) / float64(s.ok) / float64(ms)
		}
		bar := []byte(strings.Repeat("#", int(s.limit+0.5)))
		for len(bar) < 70 {
			bar = append(bar, ' ')
		}
		bar = bar[:70]
		if at := capacity(int64(i) * second); at <= len(bar) {
			bar[at-1] = '|'
		}
		fmt.Fprintf(&out, "%7d %6.1f %6d %5d %10.0f  %-8s %s\n", i, s.limit, s.ok, s.lost, took, s.reason, strings.TrimRight(string(bar), " "))
	}
	return out.String()
}

// The pictures are for review by eye; what matters in them is asserted in
// convergence_test.go. A | marks the number of workers.
func TestPictures(t *testing.T) {
	for _, in := range incidents {
		for _, algorithm := range []Algorithm{Gradient, Vegas, AIMD} {
			if algorithm == AIMD && in.name != "timeouts" && in.name != "capacity" {
				continue // without losses it has only its ceiling
			}
			name := in.name + "-" + string(algorithm)
			t.Run(name, func(t *testing.T) {
				got := picture(in.about, played(t, in.name, algorithm), in.world.workers)
				path := "testdata/" + name + ".txt"
				golden.Check(t, path, got)
			})
		}
	}
}

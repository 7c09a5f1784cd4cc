package breaker

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

// The paths without a lock against the rest, under the race detector: many
// goroutines on one clock, a dependency that comes and goes, and forced states.
// The invariants hold at every moment, not only in the end.
func TestManyGoroutines(t *testing.T) {
	var now, flying atomic.Int64
	state, told := Closed, 0
	b, err := New(Config{
		Window: 50 * time.Millisecond, Consecutive: 3, Cooldown: 5 * time.Millisecond, CooldownJitter: 0.5,
		Probes: 2, ProbeSuccesses: 2, ProbeLease: 1 << 60, Ramp: 3 * time.Millisecond,
		Trickle: Trickle{First: time.Millisecond, Overlap: 2},
	}, Options{OnTransition: func(m Transition) { // one at a time, so plain variables do
		if m.From != state {
			t.Errorf("%+v after %v", m, state)
		}
		state = m.To
		told++
	}})
	if err != nil {
		t.Fatal(err)
	}
	var g sync.WaitGroup
	for i := range 8 {
		r := rand.New(rand.NewPCG(uint64(i), 1))
		g.Go(func() {
			for n := range 4000 {
				at := now.Add(r.Int64N(20_000))
				forces := i == 0 && n%200 < 20
				if forces {
					b.ForceOpenAt(at)
				}
				p, ok := b.AllowAt(at)
				if i == 0 && n%200 == 19 {
					b.AutoAt(at)
				}
				if !ok {
					continue
				}
				if forces {
					t.Error("admitted while forced open")
				}
				if p.Probe() {
					if n := flying.Add(1); n > 2 {
						t.Errorf("%d probes in flight", n)
					}
				}
				o := outcome.Success
				if at/(20*ms)%2 == 1 || r.IntN(50) == 0 {
					o = outcome.Failure
				}
				if p.Probe() {
					flying.Add(-1) // before its place is free
				}
				b.DoneAt(at, p, o, 0)
			}
		})
	}
	g.Wait()
	at := now.Load()
	for range 1000 {
		at += ms
		if p, ok := b.AllowAt(at); ok {
			b.DoneAt(at, p, outcome.Success, 0)
		}
	}
	if s := b.StateAt(at); s != Closed || s != state {
		t.Errorf("in the end %v, told %v", s, state)
	}
	if told < 50 {
		t.Errorf("only %d transitions: the test tests little", told)
	}
}

package adaptive

import (
	"math/rand/v2"
	"testing"

	"github.com/stanch-go/stanch/internal/history"
	"github.com/stanch-go/stanch/outcome"
)

// TestOneOrderExplainsTheWord plays acquires and ends of calls at the same time,
// with a limit that stays. A refusal looks at one word and takes no lock; it must
// fit into one order with the rest: it is right only if at some moment while it
// was asked for all permits were taken.
func TestOneOrderExplainsTheWord(t *testing.T) {
	const limit = 2
	type op = history.Op[int] // permits that are held
	type check = history.Check[int]
	for round := range 1500 {
		rnd := rand.New(rand.NewPCG(uint64(round), 4))
		l := must(New(Config{Min: limit, Max: limit, Initial: limit}))
		script := func() (ops []op) {
			var held, ended []Permit
			acquire := func() check {
				p, ok := l.AcquireAt(0)
				if ok {
					held = append(held, p)
				}
				return func(n int) (int, bool) {
					if n == limit {
						return n, !ok
					}
					return n + 1, ok
				}
			}
			done := func() check {
				if len(held) == 0 {
					return func(n int) (int, bool) { return n, true }
				}
				p := held[0]
				held, ended = held[1:], append(ended, p)
				l.DoneAt(0, p, outcome.Ignored, 0)
				return func(n int) (int, bool) { return n - 1, true }
			}
			again := func() check { // that was ended before, which must free nobody's place
				for _, p := range ended {
					l.DoneAt(0, p, outcome.Ignored, 0)
				}
				return func(n int) (int, bool) { return n, true }
			}
			for range 30 {
				ops = append(ops, []op{acquire, acquire, done, again}[rnd.IntN(4)])
			}
			return ops
		}
		if !history.Play(0, script(), script()) {
			t.Fatalf("round %d: no order explains what came of the calls; in the end %+v", round, l.Stats())
		}
	}
}

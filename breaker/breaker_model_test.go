package breaker

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/history"
	"github.com/stanch-go/stanch/outcome"
)

// model is a breaker that opens after two failures in a row, at one instant.
type model struct {
	state                State
	generation           uint64
	run, total, failures int
}

type (
	op    = history.Op[model]
	check = history.Check[model]
)

func (m model) move(s State) model {
	if m.state == s {
		return m
	}
	return model{state: s, generation: m.generation + 1}
}

func (m model) refuses() bool { return m.state == Open || m.state == ForcedOpen }

func (m model) auto() model {
	if m.state == ForcedOpen || m.state == ForcedClosed {
		return m.move(Closed)
	}
	return m
}

func (m model) count(failed bool) model {
	m.total++
	m.run++
	if !failed {
		m.run = 0
		return m
	}
	m.failures++
	if m.state == Closed && m.run == 2 {
		return m.move(Open)
	}
	return m
}

// TestOneOrderExplainsTheWord plays calls, results, forced states and reports at
// the same time. What takes no lock must fit into one order with what does: nobody
// is admitted by a breaker that has refused since it was forced open, nor refused
// by one that has admitted since it closed, and no result is lost or counted in a
// later state.
func TestOneOrderExplainsTheWord(t *testing.T) {
	rounds := 1500
	if testing.Short() {
		rounds = 150
	}
	for round := range rounds {
		rnd := rand.New(rand.NewPCG(uint64(round), 3))
		b, err := New(Config{Consecutive: 2, Cooldown: time.Hour}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !history.Play(model{generation: 1}, script(b, rnd, 6), script(b, rnd, 6), script(b, rnd, 6)) {
			t.Fatalf("round %d: no order explains what came of the calls; in the end %+v", round, b.StatsAt(0))
		}
	}
}

func script(b *Breaker, rnd *rand.Rand, length int) []op {
	var held []Permit
	allow := func() check {
		p, ok := b.AllowAt(0)
		if ok {
			held = append(held, p)
		}
		return func(m model) (model, bool) {
			return m, ok != m.refuses() && (!ok || p == Permit{m.generation, call})
		}
	}
	done := func(o outcome.Outcome) op {
		return func() check {
			if len(held) == 0 {
				return func(m model) (model, bool) { return m, true }
			}
			p := held[0]
			held = held[1:]
			b.DoneAt(0, p, o, 0)
			return func(m model) (model, bool) {
				if p.tag != m.generation {
					return m, true
				}
				return m.count(o == outcome.Failure), true
			}
		}
	}
	refuse := func() check {
		_, refused := b.RefuseAt(0)
		return func(m model) (model, bool) { return m, refused == m.refuses() }
	}
	report := func() check {
		s := b.StatsAt(0)
		return func(m model) (model, bool) {
			return m, s.State == m.state && s.Total == m.total && s.Failures == m.failures && s.Consecutive == m.run
		}
	}
	set := func(do func(int64), then func(model) model) op {
		return func() check {
			do(0)
			return func(m model) (model, bool) { return then(m), true }
		}
	}
	all := []op{
		allow, allow, allow, done(outcome.Success), done(outcome.Failure), done(outcome.Failure), refuse, refuse, report,
		set(b.ForceOpenAt, func(m model) model { return m.move(ForcedOpen) }),
		set(b.ForceClosedAt, func(m model) model { return m.move(ForcedClosed) }),
		set(b.AutoAt, model.auto),
	}
	ops := make([]op, length)
	for i := range ops {
		ops[i] = all[rnd.IntN(len(all))]
	}
	return ops
}

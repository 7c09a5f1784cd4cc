package retry

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/history"
)

// A balance is what a budget has, in the model: of a ratio the successes and the
// retries, of the others the tokens that are missing.
type balance struct{ good, spent int }

type (
	op   = history.Op[balance]
	step = history.Check[balance]
)

func always(then func(balance) balance) step {
	return func(m balance) (balance, bool) { return then(m), true }
}

// TestOneOrderExplainsTheBalance plays what a call does to its budget from several
// goroutines at one instant. However the steps on the balance meet, there must be
// an order of the calls in which a budget without concurrency grants and refuses
// the same: no token is lost, made twice or kept beyond the most there may be.
func TestOneOrderExplainsTheBalance(t *testing.T) {
	for name, build := range map[string]func() (Budget, func(*rand.Rand) []op){
		"earning": earningModel, "ratio": ratioModel, "token": tokenModel,
	} {
		t.Run(name, func(t *testing.T) {
			for round := range 2000 {
				rnd := rand.New(rand.NewPCG(uint64(round), 5))
				b, script := build()
				if !history.Play(balance{}, script(rnd), script(rnd)) {
					t.Fatalf("round %d: no order explains what was granted; in the end %v", round, b.BalanceAt(0))
				}
			}
		})
	}
}

func draw(rnd *rand.Rand, all ...op) (ops []op) {
	for range 30 {
		ops = append(ops, all[rnd.IntN(len(all))])
	}
	return ops
}

func earningModel() (Budget, func(*rand.Rand) []op) {
	const most = 3
	b := newEarning(most, 0, 1)
	back := func(n int) func(balance) balance {
		return func(m balance) balance { m.spent = max(m.spent-n, 0); return m }
	}
	take := func() step {
		ok := b.TakeAt(0)
		return func(m balance) (balance, bool) {
			if m.spent == most {
				return m, !ok
			}
			m.spent++
			return m, ok
		}
	}
	left := func() step {
		left := b.BalanceAt(0)
		return func(m balance) (balance, bool) { return m, left == float64(most-m.spent) }
	}
	refund := func() step { b.ReturnAt(0); return always(back(1)) }
	helped := func() step { b.DoneAt(0, true, 2); return always(back(2)) }
	return b, func(rnd *rand.Rand) []op { return draw(rnd, take, take, take, refund, helped, left) }
}

func ratioModel() (Budget, func(*rand.Rand) []op) {
	b := newRatio(0.5, time.Second, 2)
	take := func() step {
		ok := b.TakeAt(0)
		return func(m balance) (balance, bool) {
			if 2*m.spent > max(m.good, 2) {
				return m, !ok
			}
			m.spent++
			return m, ok
		}
	}
	refund := func() step {
		b.ReturnAt(0)
		return always(func(m balance) balance { m.spent = max(m.spent-1, 0); return m })
	}
	success := func() step {
		b.AttemptAt(0, true)
		return always(func(m balance) balance { m.good++; return m })
	}
	return b, func(rnd *rand.Rand) []op { return draw(rnd, take, take, refund, success) }
}

func tokenModel() (Budget, func(*rand.Rand) []op) {
	const most = 4
	b := newToken(1, most)
	take := func() step {
		ok := b.TakeAt(0)
		return func(m balance) (balance, bool) { return m, ok == (2*(most-m.spent) > most) }
	}
	ended := func(ok bool) op {
		return func() step {
			b.AttemptAt(0, ok)
			return always(func(m balance) balance {
				if ok {
					m.spent = max(m.spent-1, 0)
				} else {
					m.spent = min(m.spent+1, most)
				}
				return m
			})
		}
	}
	return b, func(rnd *rand.Rand) []op { return draw(rnd, take, take, ended(true), ended(false), ended(false)) }
}

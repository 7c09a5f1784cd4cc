package deadline

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/internal/history"
)

// hands is a clock that the test moves.
type hands struct {
	clock.Clock
	now atomic.Int64
}

func (h *hands) Now() int64 { return h.now.Load() }

// life is a context in the model: how it ended, and what would end it when
// somebody looks.
type life struct {
	ended        error
	late, orphan bool // the time is up, the parent has ended
}

// look is what Err comes to. An end is for good; one by the time counts from when
// it is seen.
func (l life) look() life {
	switch {
	case l.ended != nil:
	case l.orphan:
		l.ended = context.Canceled
	case l.late:
		l.ended = context.DeadlineExceeded
	}
	return l
}

// TestOneOrderExplainsTheState plays what may happen to a context at the same time:
// somebody asks for its end, arms it, cancels it or its parent, and the time comes.
// Whoever meets, there is one end, for all and for good.
func TestOneOrderExplainsTheState(t *testing.T) {
	type op = history.Op[life]
	type step = history.Check[life]
	for round := range 1500 {
		rnd := rand.New(rand.NewPCG(uint64(round), 7))
		time := &hands{Clock: clock.Real}
		parent, end := context.WithCancel(t.Context())
		c := New(parent, time, 10, nil)
		err := func() step {
			got := c.Err()
			return func(l life) (life, bool) { l = l.look(); return l, errors.Is(got, l.ended) }
		}
		done := func() step {
			select {
			case <-c.Done():
				return func(l life) (life, bool) { l = l.look(); return l, l.ended != nil }
			default:
				return func(l life) (life, bool) { return l, true } // it closes a moment after the end
			}
		}
		value := func() step {
			c.Value(1)
			return func(l life) (life, bool) { return l, true }
		}
		cancel := func() step {
			c.Cancel()
			return func(l life) (life, bool) {
				if l.ended == nil {
					l.ended = context.Canceled
				}
				return l, true
			}
		}
		leave := func() step { end(); return func(l life) (life, bool) { l.orphan = true; return l, true } }
		pass := func() step {
			time.now.Store(20)
			return func(l life) (life, bool) { l.late = true; return l, true }
		}
		script := func() (ops []op) {
			rare := []op{cancel, leave, pass}[rnd.IntN(3)]
			for i := range 10 {
				if i == 3+rnd.IntN(5) {
					ops = append(ops, rare)
				}
				ops = append(ops, []op{err, err, err, done, value}[rnd.IntN(5)])
			}
			return ops
		}
		if !history.Play(life{}, script(), script(), script()) {
			t.Fatalf("round %d: no order explains what was seen; in the end %v", round, c.Err())
		}
		end()
		c.Cancel()
	}
}

package fallback

import (
	"context"
	"errors"
	"time"
)

// Chain is a fixed sequence of alternatives under limits of its own, for those
// who build it once. It is safe for concurrent use.
type Chain[T any] struct {
	gate         *Gate
	alternatives []Alternative[T]
}

// NewChain returns the chain, or all faults of the limits and the alternatives.
func NewChain[T any](limits Limits, alternatives ...Alternative[T]) (*Chain[T], error) {
	gate, err := NewGate(limits, nil)
	if err := errors.Join(err, Check(alternatives...)); err != nil {
		return nil, err
	}
	return &Chain[T]{gate, append([]Alternative[T](nil), alternatives...)}, nil
}

// Answer returns the first answer that an alternative gives. See Try.
func (c *Chain[T]) Answer(ctx context.Context, cause error) (Answer[T], error) {
	return Try(ctx, c.gate, cause, c.alternatives...)
}

// Try asks the alternatives in order and returns the first answer, or a
// *NoAnswer with the reason of each. cause is why there is no live answer.
//
// It is for alternatives that are made for one call, because they close over
// its arguments; the gate is what all these calls share. Check them before.
//
// Each loader runs on the calling goroutine, so that nothing leaks, under a
// context with the gate's timeout: a loader that ignores its context is bounded
// only by itself. When the time of ctx is over the alternatives are still
// asked, for what is in memory needs none; when ctx was cancelled they are not,
// for nobody waits. A panic of a loader passes through.
func Try[T any](ctx context.Context, g *Gate, cause error, alternatives ...Alternative[T]) (Answer[T], error) {
	var skipped []Skip
	for _, a := range alternatives {
		if err := ctx.Err(); errors.Is(err, context.Canceled) {
			skipped = append(skipped, Skip{a.name, err})
			break
		}
		v, age, err := a.run(ctx, g)
		if err == nil {
			return Answer[T]{Value: v, Source: a.name, Age: age, Cause: cause, Skipped: skipped}, nil
		}
		skipped = append(skipped, Skip{a.name, err})
	}
	return Answer[T]{}, &NoAnswer{cause, skipped}
}

// run loads the value of one alternative within the limits of the gate.
func (a Alternative[T]) run(ctx context.Context, g *Gate) (v T, age time.Duration, err error) {
	if err := a.err(); err != nil {
		return v, 0, err
	}
	if a.static {
		return a.value, 0, nil
	}
	p := g.place(a.name)
	if !p.enter(g.most) {
		return v, 0, ErrFull
	}
	defer p.leave() // deferred, for a loader may panic or call runtime.Goexit
	m := &mark{Context: ctx, name: a.name}
	bounded, cancel := g.within(m, g.timeout)
	defer cancel()
	v, err = a.load(bounded)
	return v, time.Duration(m.age.Load()), err
}

package stanch

import (
	"context"
	"errors"
	"time"

	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/outcome"
)

// An Answer is a value and where it comes from: "live", or the name of the
// alternative that gave it.
type Answer[T any] = fallback.Answer[T]

// An Alternative is a next best answer, with its name.
type Alternative[T any] = fallback.Alternative[T]

// Or names an alternative. load must read what is already here, such as a
// snapshot in memory, and must not call another dependency: the degraded path
// has to work when nothing else does.
func Or[T any](name string, load func(context.Context) (T, error)) Alternative[T] {
	return fallback.Or(name, load)
}

// Static names an alternative whose answer is v, the last resort. It takes no time
// and no place.
func Static[T any](name string, v T) Alternative[T] { return fallback.Static(name, v) }

// From names an alternative that has a type of its own. A source that is itself
// guarded, which it tells by a method GuardedBy() string, is refused.
func From[T any](name string, source fallback.Source[T]) Alternative[T] {
	return fallback.From(name, source)
}

// Ask calls fn as Do does. When the dependency gives no answer, because a guard
// refused, the time was up or it failed, the alternatives are asked in order,
// and the answer says which one gave it. A faulty list of alternatives is an
// error before anything is called.
//
// An error that is the dependency's proper answer (see outcome.Answer) is
// returned as it is: to replace "not found" by something stale would be a lie.
// So is the error of a caller that went away. When no alternative has an answer
// either, the error is the live call's, joined with each alternative's.
func Ask[T any](ctx context.Context, d *Dependency, fn func(context.Context) (T, error), alternatives ...Alternative[T]) (Answer[T], error) {
	if len(alternatives) > 0 {
		if err := fallback.Check(alternatives...); err != nil {
			return Answer[T]{}, err
		}
	}
	value, verdict, err := run(ctx, d, fn)
	if err == nil {
		return Answer[T]{Value: value, Source: fallback.Live}, nil
	}
	if len(alternatives) == 0 || verdict == outcome.Success || errors.Is(ctx.Err(), context.Canceled) {
		return Answer[T]{Value: value}, err
	}
	began := d.clock.Now()
	answer, none := fallback.Try(ctx, d.gate, err, alternatives...)
	if d.observer != nil {
		now := d.clock.Now()
		d.observe(Event{Step: StepFallback, At: now, Took: time.Duration(now - began), Source: answer.Source, Err: none})
	}
	return answer, none
}

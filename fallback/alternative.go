package fallback

import (
	"context"
	"errors"
	"fmt"
)

// Loader returns one value. As an alternative it should read memory; one that
// can wait must obey its context.
type Loader[T any] = func(context.Context) (T, error)

// Source is a loader with a type of its own. A *Value is one.
type Source[T any] interface {
	Load(context.Context) (T, error)
}

// Alternative is one of the next best answers: a name and a loader. Make it
// with Or or From. A fault in it is found by Check.
type Alternative[T any] struct {
	name  string
	load  Loader[T]
	fault error
}

// Or is the alternative with that name, which loads its value with load.
func Or[T any](name string, load Loader[T]) Alternative[T] {
	a := Alternative[T]{name: name, load: load}
	switch {
	case name == "":
		a.fault = errors.New("name must not be empty")
	case name == Live:
		a.fault = fmt.Errorf("name must not be %q, which is not an alternative", Live)
	case load == nil:
		a.fault = fmt.Errorf("%q has nothing to load its value with", name)
	}
	return a
}

// From is the alternative with that name, which loads its value from src. A
// source that is guarded, which it tells by a method GuardedBy() string naming
// the dependency, is a fault: a fallback through another dependency fails with
// that dependency.
func From[T any](name string, src Source[T]) Alternative[T] {
	if src == nil {
		return Or[T](name, nil)
	}
	a := Or(name, src.Load)
	if g, ok := src.(interface{ GuardedBy() string }); ok && a.fault == nil {
		a.fault = fmt.Errorf("%q is guarded by dependency %q: an alternative must not call a dependency", name, g.GuardedBy())
	}
	return a
}

// Always is the loader that has the value at hand: the last resort.
func Always[T any](v T) Loader[T] {
	return func(context.Context) (T, error) { return v, nil }
}

// Name returns the name of the alternative.
func (a Alternative[T]) Name() string { return a.name }

// Check returns all faults of a chain of alternatives: none at all, an empty
// or reserved name, a name used twice, a missing loader, a guarded source. It
// is cheap enough to be asked before every call, so that a fault shows at the
// first call and not in the first incident.
func Check[T any](alternatives ...Alternative[T]) error {
	if len(alternatives) == 1 && alternatives[0].fault == nil && alternatives[0].load != nil {
		return nil // as nearly always
	}
	return check(alternatives)
}

func check[T any](alternatives []Alternative[T]) error {
	if len(alternatives) == 0 {
		return errors.New("alternatives: must not be empty")
	}
	var faults []error
	for i, a := range alternatives {
		if err := a.err(); err != nil {
			faults = append(faults, fmt.Errorf("alternatives[%d]: %w", i, err))
			continue
		}
		for _, before := range alternatives[:i] {
			if before.name == a.name {
				faults = append(faults, fmt.Errorf("alternatives[%d]: name %q is used twice", i, a.name))
				break
			}
		}
	}
	return errors.Join(faults...)
}

// err returns the fault of the alternative alone; the zero one has one too.
func (a Alternative[T]) err() error {
	if a.fault == nil && a.load == nil {
		return Or[T](a.name, nil).fault
	}
	return a.fault
}

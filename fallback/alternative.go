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

// Alternative is one of the next best answers: a name, and a value or how to load
// it. Make it with Or, From or Static. A fault in it is found by Check.
type Alternative[T any] struct {
	name   string
	load   Loader[T]
	static bool // value is the answer
	value  T
	fault  error
}

// Or is the alternative with that name, which loads its value with load.
func Or[T any](name string, load Loader[T]) Alternative[T] {
	a := Alternative[T]{name: name, load: load, fault: misnamed(name)}
	if a.fault == nil && load == nil {
		a.fault = fmt.Errorf("%q has nothing to load its value with", name)
	}
	return a
}

// Static is the alternative with that name whose answer is v, the last resort. It
// takes no time and no place.
func Static[T any](name string, v T) Alternative[T] {
	return Alternative[T]{name: name, static: true, value: v, fault: misnamed(name)}
}

func misnamed(name string) error {
	switch name {
	case "":
		return errors.New("name must not be empty")
	case Live:
		return fmt.Errorf("name must not be %q, which is not an alternative", Live)
	}
	return nil
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

// Name returns the name of the alternative.
func (a Alternative[T]) Name() string { return a.name }

// Check returns all faults of a chain of alternatives: none at all, an empty
// or reserved name, a name used twice, a missing loader, a guarded source. It
// is cheap enough to be asked before every call, so that a fault shows at the
// first call and not in the first incident.
func Check[T any](alternatives ...Alternative[T]) error {
	if len(alternatives) == 1 && alternatives[0].err() == nil {
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
	if a.fault == nil && a.load == nil && !a.static {
		return Or[T](a.name, nil).fault
	}
	return a.fault
}

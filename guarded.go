package stanch

import "context"

// Guarded is a call bound to its dependency, for those who pass it around as a
// value. It must not be an alternative of another one: From refuses it.
type Guarded[T any] struct {
	d  *Dependency
	fn func(context.Context) (T, error)
}

// Guard binds fn to d.
func Guard[T any](d *Dependency, fn func(context.Context) (T, error)) *Guarded[T] {
	return &Guarded[T]{d, fn}
}

// Load makes the call as Do does.
func (g *Guarded[T]) Load(ctx context.Context) (T, error) { return Do(ctx, g.d, g.fn) }

// GuardedBy returns the name of the dependency.
func (g *Guarded[T]) GuardedBy() string { return g.d.name }

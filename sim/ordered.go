package sim

// Ordered is a map that keeps the order in which a file names its keys, since
// that order is the order of events at the same instant.
type Ordered[T any] []Named[T]

// Named is one entry of an Ordered.
type Named[T any] struct {
	Name  string
	Value T
}

// Get returns the entry of that name.
func (o Ordered[T]) Get(name string) (*T, bool) {
	for i := range o {
		if o[i].Name == name {
			return &o[i].Value, true
		}
	}
	return nil, false
}

// Set adds an entry, or replaces the one of that name.
func (o *Ordered[T]) Set(name string, value T) {
	if v, ok := o.Get(name); ok {
		*v = value
		return
	}
	*o = append(*o, Named[T]{name, value})
}

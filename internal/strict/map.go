package strict

import "iter"

// Map is a mapping that keeps the order of the file, and the places of its
// keys. Its zero value is empty; write it in Go as a slice of entries.
type Map[T any] []Entry[T]

// An Entry is one key of a Map with its value.
type Entry[T any] struct {
	Key   string
	Value T
	At    *Node // the key in the file; nil for an entry made in Go
}

// Get returns the value of a key.
func (m Map[T]) Get(key string) (value T, ok bool) {
	for _, e := range m {
		if e.Key == key {
			return e.Value, true
		}
	}
	return value, false
}

// All returns the keys and values in their order.
func (m Map[T]) All() iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, e := range m {
			if !yield(e.Key, e.Value) {
				return
			}
		}
	}
}

// UnmarshalStrict implements Unmarshaler. A key whose value is null is left out.
func (m *Map[T]) UnmarshalStrict(n *Node, d *Decoder) {
	if !d.wantMapping(n) {
		return
	}
	*m = make(Map[T], 0, len(n.Pairs))
	for _, p := range n.Pairs {
		if p.Value.Kind == Null {
			continue
		}
		e := Entry[T]{Key: p.Key.Value, At: p.Key}
		d.DecodePair(p, &e.Value)
		*m = append(*m, e)
	}
}

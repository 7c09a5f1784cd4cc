package fallback

// entry is one snapshot, linked into the list of use.
type entry[K comparable, T any] struct {
	key   K
	value T
	at    int64 // the instant the value is from
	size  int64

	newer, older *entry[K, T]
}

// list orders entries by use: a ring through head, whose older is the most
// recently used and whose newer is the least.
type list[K comparable, T any] struct{ head entry[K, T] }

func (l *list[K, T]) init() { l.head.newer, l.head.older = &l.head, &l.head }

func (l *list[K, T]) add(e *entry[K, T]) {
	e.newer, e.older = &l.head, l.head.older
	e.newer.older, e.older.newer = e, e
}

func (l *list[K, T]) remove(e *entry[K, T]) {
	e.newer.older, e.older.newer = e.older, e.newer
	e.newer, e.older = nil, nil
}

func (l *list[K, T]) touch(e *entry[K, T]) {
	l.remove(e)
	l.add(e)
}

// oldest returns the least recently used entry; the list must not be empty.
func (l *list[K, T]) oldest() *entry[K, T] { return l.head.newer }

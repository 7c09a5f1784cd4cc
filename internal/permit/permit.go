// Package permit keeps the permits of calls in flight, so that each resolves
// once, however often it is given back.
package permit

// A Permit is the right to one call. It resolves once: of several ends with it
// only the first counts, also after its place was given to somebody else. The
// zero Permit, which comes with a refusal, resolves nothing.
type Permit struct {
	ticket uint64
	place  uint32
}

// A Table has the places of the calls in flight. A place that is in use carries
// the ticket of the permit that has it, and no two permits have the same ticket.
// The zero Table is empty; its owner's lock guards it.
type Table struct {
	places  []uint64 // the ticket of each, 0 if it is free
	free    []uint32
	tickets uint64
	used    int
}

// Used is how many permits are held.
func (t *Table) Used() int { return t.used }

// Take hands out a permit.
func (t *Table) Take() Permit {
	if len(t.free) == 0 {
		t.free = append(t.free, uint32(len(t.places)))
		t.places = append(t.places, 0)
	}
	last := len(t.free) - 1
	i := t.free[last]
	t.free = t.free[:last]
	t.tickets++
	t.places[i] = t.tickets
	t.used++
	return Permit{t.tickets, i}
}

// Give frees the place of the permit, and reports whether it still had one.
func (t *Table) Give(p Permit) bool {
	if p.ticket == 0 || int(p.place) >= len(t.places) || t.places[p.place] != p.ticket {
		return false
	}
	t.places[p.place] = 0
	t.free = append(t.free, p.place)
	t.used--
	return true
}

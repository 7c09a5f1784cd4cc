package shed

import (
	"context"
	"strings"
)

// A Priority says how bad it is to refuse a request: higher is worse. The zero
// value is Critical. The four, and their names, are Google's criticalities (Beyer
// and others, Site Reliability Engineering, 2016, "Handling Overload").
type Priority int8

const (
	// Sheddable: refused without much harm, and often; tried again later.
	Sheddable Priority = iota - 2
	// SheddablePlus: batch work that should get done; refused now and then.
	SheddablePlus
	// Critical: users notice. What capacity is planned for.
	Critical
	// CriticalPlus: users notice a great deal.
	CriticalPlus
)

// Header is the name of the HTTP header, and of the metadata, that carries a
// priority from hop to hop: critical-plus, critical, sheddable-plus or
// sheddable. It is not the Priority header of RFC 9218, which orders
// the delivery of answers that will be given in any case. Trust it from
// one's own services only.
const Header = "X-Criticality"

const priorities = 4

var names = [priorities]string{"sheddable", "sheddable-plus", "critical", "critical-plus"}

// index counts priorities from 0. What is beyond the four counts as the nearest.
func (p Priority) index() int { return int(min(max(p, Sheddable), CriticalPlus) - Sheddable) }

// String returns the name of the priority, as it stands in the header.
func (p Priority) String() string { return names[p.index()] }

// ParsePriority is the inverse of String. It does not mind case, spaces around
// the name, or _ for -. With anything else it returns Critical and false.
func ParsePriority(s string) (p Priority, ok bool) {
	s = strings.TrimSpace(s)
	for i, name := range names {
		if same(s, name) {
			return Sheddable + Priority(i), true
		}
	}
	return Critical, false
}

func same(s, name string) bool {
	if len(s) != len(name) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c == '_':
			c = '-'
		}
		if c != name[i] {
			return false
		}
	}
	return true
}

// PriorityKey is the context key of the priority that WithPriority stores, a
// Priority, for contexts that answer it themselves.
type PriorityKey struct{}

// WithPriority returns a context that carries the priority, for the calls that a
// request leads to.
func WithPriority(ctx context.Context, p Priority) context.Context {
	return context.WithValue(ctx, PriorityKey{}, p)
}

// PriorityOf returns the priority that the context carries, Critical if none.
func PriorityOf(ctx context.Context) Priority {
	p, _ := ctx.Value(PriorityKey{}).(Priority)
	return p
}

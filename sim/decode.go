package sim

import (
	"fmt"

	"github.com/stanch-go/stanch/internal/strict"
)

// UnmarshalStrict reads "unbounded" or a number.
func (q *Queue) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	if n.Kind == strict.Scalar && n.Value == "unbounded" {
		*q = Unbounded
		return
	}
	d.Decode(n, (*int)(q))
	if *q < 0 {
		d.Fault("must not be negative", `write "unbounded" for a queue without a limit`)
	}
}

// UnmarshalStrict reads a duration, or the mapping of a distribution.
func (l *Latency) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	*l = Latency{}
	if n.Kind == strict.Scalar {
		d.Decode(n, &l.Constant)
		return
	}
	type distribution Latency
	d.Decode(n, (*distribution)(l))
}

// UnmarshalStrict reads the name of a priority, or the shares of several.
func (s *Shares) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	if n.Kind != strict.Scalar {
		d.Decode(n, (*Map[float64])(s))
		return
	}
	var name string
	if d.Decode(n, &name) {
		*s = Shares{{Key: name, Value: 1}}
	}
}

// UnmarshalStrict reads a name, or how many there are.
func (t *Tenants) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	*t = Tenants{}
	if n.Kind == strict.Scalar {
		d.Decode(n, &t.Name)
		return
	}
	type many Tenants
	d.Decode(n, (*many)(t))
}

// UnmarshalStrict reads "even", or how uneven.
func (s *Spread) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	*s = Spread{}
	if n.Kind == strict.Scalar {
		if n.Value != "even" {
			d.Fault(fmt.Sprintf("must be even, or a mapping such as {zipf: 1}, is %q", n.Value), "")
		}
		return
	}
	type uneven Spread
	d.Decode(n, (*uneven)(s))
}

// UnmarshalStrict lays the settings over those of the class, as the policy file
// does.
func (g *Guard) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	*g = Guard{}
	rest := g.Policy.Preset(n, d)
	type settings Guard
	d.Decode(rest, (*settings)(g))
}

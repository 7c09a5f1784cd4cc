package sim

import (
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/bulkhead"
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

// UnmarshalStrict lays the settings over those of the class.
func (g *Guard) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	var class stanch.Class
	var p99 time.Duration
	for _, p := range n.Pairs {
		switch p.Key.Value {
		case "class":
			d.DecodePair(p, &class)
		case "p99":
			d.DecodePair(p, &p99)
		}
	}
	preset, err := stanch.Preset(class, p99)
	if err != nil {
		d.Fault(err.Error(), "")
	}
	if n.Get("pool") != nil && n.Get("bulkhead") == nil {
		preset.Bulkhead = bulkhead.Config{} // the share takes its place
	}
	*g = Guard{Config: preset}
	type settings Guard
	d.Decode(n, (*settings)(g))
}

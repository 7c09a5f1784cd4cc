package sim

import (
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/retry"
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

// UnmarshalStrict lays the settings over those of the class. A section that is
// "off" is taken away.
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
	kept := *n
	kept.Pairs = nil
	for _, p := range n.Pairs {
		if section := sectionOf(&preset, p.Key.Value); section != nil && p.Value.Kind == strict.Scalar && p.Value.Value == "off" {
			section()
			continue
		}
		kept.Pairs = append(kept.Pairs, p)
	}
	if n.Get("pool") != nil && n.Get("bulkhead") == nil {
		preset.Bulkhead = bulkhead.Config{} // the share takes its place
	}
	*g = Guard{Config: preset}
	type settings Guard
	d.Decode(&kept, (*settings)(g))
}

// sectionOf returns what takes a section of c away.
func sectionOf(c *stanch.Config, key string) func() {
	switch key {
	case "timeout":
		return func() { c.Timeout = deadline.Config{} }
	case "retry":
		return func() { c.Retry = retry.Config{} }
	case "budget":
		return func() { c.Budget = retry.BudgetConfig{} }
	case "breaker":
		return func() { c.Breaker = breaker.Config{} }
	case "bulkhead":
		return func() { c.Bulkhead = bulkhead.Config{} }
	}
	return nil
}

package policy

import (
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/retry"
)

// OneOrMore is a text, or a list of them.
type OneOrMore []string

// UnmarshalStrict reads either form.
func (o *OneOrMore) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	if n.Kind == strict.Scalar {
		*o = make(OneOrMore, 1)
		d.Decode(n, &(*o)[0])
		return
	}
	d.Decode(n, (*[]string)(o))
}

// UnmarshalStrict lays what the file says over the preset of the class.
func (dep *Dependency) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	*dep = Dependency{}
	n = dep.Preset(n, d)
	type settings Dependency
	d.Decode(n, (*settings)(dep))
}

// Preset fills dep with the preset of the class that the mapping n names, less
// the sections that n says are off, and returns n without these. It is for
// types that embed a Dependency.
func (dep *Dependency) Preset(n *strict.Node, d *strict.Decoder) *strict.Node {
	if n.Kind != strict.Mapping {
		return n
	}
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
	*dep = FromConfig(preset)
	if b := n.Get("bulkhead"); b != nil && b.Get("pool") != nil {
		dep.Bulkhead.Limit = 0 // the pool bounds it
	}
	rest := *n
	rest.Pairs = nil
	for _, p := range n.Pairs {
		if p.Value.Kind == strict.Scalar && p.Value.Value == "off" && dep.off(p.Key.Value) {
			continue
		}
		rest.Pairs = append(rest.Pairs, p)
	}
	return &rest
}

// off takes a section away.
func (dep *Dependency) off(section string) bool {
	switch section {
	case "timeout":
		dep.Timeout = deadline.Config{}
	case "retry":
		dep.Retry = retry.Config{}
	case "budget":
		dep.Budget = retry.BudgetConfig{}
	case "breaker":
		dep.Breaker = breaker.Config{}
	case "bulkhead":
		dep.Bulkhead = Bulkhead{}
	case "fallback":
		dep.Fallback = Fallback{}
	default:
		return false
	}
	return true
}

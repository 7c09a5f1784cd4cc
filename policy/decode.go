package policy

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/ratelimit"
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

// path is that of an item in a dependency's faults.
func (o OneOrMore) path(i int) string {
	if len(o) == 1 {
		return "url"
	}
	return fmt.Sprintf("url[%d]", i)
}

// sections are the types of the keys that may be off.
var sections = []reflect.Type{
	reflect.TypeFor[deadline.Config](), reflect.TypeFor[retry.Config](), reflect.TypeFor[retry.BudgetConfig](),
	reflect.TypeFor[breaker.Config](), reflect.TypeFor[breaker.Trickle](), reflect.TypeFor[ratelimit.Config](), reflect.TypeFor[Bulkhead](), reflect.TypeFor[Fallback](),
}

// UnmarshalStrict lays what the file says over the preset of the class.
func (dep *Dependency) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	*dep = Dependency{}
	rest := dep.Preset(n, d)
	type settings Dependency
	if d.Decode(rest, (*settings)(dep)) {
		dep.wantSettings(rest, d)
	}
}

// Preset fills dep with the preset of the class that the mapping n names, less
// what n says is off and what its other keys leave no place for, and returns n
// without what is off. It is for types that embed a Dependency.
func (dep *Dependency) Preset(n *strict.Node, d *strict.Decoder) *strict.Node {
	if n.Kind != strict.Mapping {
		return n
	}
	var class stanch.Class
	var p99 time.Duration
	ok := true
	for _, p := range n.Pairs {
		switch p.Key.Value {
		case "class":
			ok = d.DecodePair(p, &class) && ok
		case "p99":
			ok = d.DecodePair(p, &p99) && ok
		}
	}
	preset, err := stanch.Preset(class, max(0, min(p99, maxLatency)))
	if err != nil && ok {
		d.Fault(strings.TrimPrefix(err.Error(), "p99: "), "")
	}
	if err != nil || !ok {
		// Without a preset the rest would seem to have faults that it has not.
		preset = stanch.Standard(time.Second)
		preset.Timeout = deadline.Config{}
	}
	*dep = FromConfig(preset)
	dep.makeRoom(n)
	return turnOff(reflect.ValueOf(dep).Elem(), n)
}

// makeRoom takes out of a preset what cannot stand beside the keys of n.
func (dep *Dependency) makeRoom(n *strict.Node) {
	if given(n.Get("bulkhead").Get("pool")) {
		dep.Bulkhead.Limit = 0 // the share's max bounds it
	}
	if kind := n.Get("budget").Get("kind"); given(kind) && kind.Value != string(dep.Budget.Kind) {
		dep.Budget = retry.BudgetConfig{} // the kinds have different keys
	}
	if calls := n.Get("breaker").Get("calls"); given(calls) {
		if count, _ := strconv.Atoi(calls.Value); count != 0 {
			dep.Breaker.Window = 0 // either counts
		}
	}
}

func given(n *strict.Node) bool {
	return n != nil && n.Kind != strict.Null && n.Kind != strict.Empty
}

// isOff reports whether a section is taken away.
func isOff(n *strict.Node) bool { return n != nil && n.Kind == strict.Scalar && n.Value == "off" }

// turnOff clears the sections below v that n says are off, and returns n without
// them.
func turnOff(v reflect.Value, n *strict.Node) *strict.Node {
	rest := *n
	rest.Pairs = nil
	for _, p := range n.Pairs {
		for _, k := range keysOf(v.Type()) {
			if k.name != p.Key.Value || k.Type.Kind() != reflect.Struct {
				continue
			}
			switch field := v.FieldByIndex(k.Index); {
			case isOff(p.Value) && slices.Contains(sections, k.Type):
				field.SetZero()
				p.Value = nil
			case p.Value.Kind == strict.Mapping:
				p.Value = turnOff(field, p.Value)
			}
			break
		}
		if p.Value != nil {
			rest.Pairs = append(rest.Pairs, p)
		}
	}
	return &rest
}

// wantSettings reports sections that are there and set nothing: they would be
// off, which somebody who begins one hardly means.
func (dep *Dependency) wantSettings(n *strict.Node, d *strict.Decoder) {
	v := reflect.ValueOf(dep).Elem()
	for _, k := range keysOf(v.Type()) {
		if !slices.Contains(sections, k.Type) || !v.FieldByIndex(k.Index).IsZero() {
			continue
		}
		for _, p := range n.Pairs {
			if p.Key.Value == k.name && p.Value.Kind == strict.Mapping {
				d.DecodePair(p, new(nothing))
			}
		}
	}
}

type nothing struct{}

func (nothing) UnmarshalStrict(_ *strict.Node, d *strict.Decoder) {
	d.Fault("sets nothing, so it would be off", `write "off", or give it a key`)
}

// A key is a field of a struct that a file fills.
type key struct {
	name string
	reflect.StructField
}

// keysOf returns the keys of a struct in their order, with those of structs that
// are inlined in it.
func keysOf(t reflect.Type) []key {
	var keys []key
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name != "" && name != "-" && f.IsExported() {
			keys = append(keys, key{name, f})
		}
	}
	return keys
}

package strict

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// An Unmarshaler decodes itself, for values with forms of their own, such as
// "unbounded" or a number. It is not asked for what is empty or null. Inside,
// Decoder.Decode with a type that is not an Unmarshaler gives the usual rules:
//
//	func (q *Queue) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
//		if n.Value == "unbounded" {
//			q.Unbounded = true
//			return
//		}
//		d.Decode(n, &q.Length)
//	}
type Unmarshaler interface {
	UnmarshalStrict(n *Node, d *Decoder)
}

// Decode fills into, a pointer, from the tree, and returns all faults. With
// faults, into is filled in part; what the tree does not have keeps its value.
func Decode(n *Node, into any) Faults {
	d := &Decoder{at: n.spot("")}
	d.Decode(n, into)
	return d.faults.Sorted()
}

// A Decoder is what an Unmarshaler decodes its parts with. It knows the path
// that leads to it.
type Decoder struct {
	at     spot
	faults Faults
}

// Decode fills into, a pointer, from the node that the Unmarshaler was given,
// and reports whether there was no fault.
func (d *Decoder) Decode(n *Node, into any) bool {
	return d.descend(spot{path: d.at.path, key: d.at.key, node: n}, into)
}

// DecodePair fills into, a pointer, from the value of a pair of the Mapping
// that the Unmarshaler was given.
func (d *Decoder) DecodePair(p Pair, into any) bool {
	return d.descend(d.at.pair(p), into)
}

// DecodeItem fills into, a pointer, from the item at an index of the List that
// the Unmarshaler was given.
func (d *Decoder) DecodeItem(i int, item *Node, into any) bool {
	return d.descend(d.at.item(i, item), into)
}

// Fault reports a fault of the value that the Unmarshaler was given. The text
// reads on from its path, as in "must be a number or unbounded"; the hint may
// be empty.
func (d *Decoder) Fault(text, hint string) {
	d.faults = append(d.faults, d.at.fault(text, hint))
}

func (d *Decoder) descend(to spot, into any) bool {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		panic(fmt.Sprintf("strict: cannot decode into %T: want a pointer", into))
	}
	before := len(d.faults)
	d.decode(to, v.Elem())
	return len(d.faults) == before
}

var (
	nodeType     = reflect.TypeFor[*Node]()
	durationType = reflect.TypeFor[time.Duration]()
	sizeType     = reflect.TypeFor[Size]()
)

// decode fills v, which is addressable, from the value at a spot.
func (d *Decoder) decode(to spot, v reflect.Value) {
	outer := d.at
	d.at = to
	defer func() { d.at = outer }()

	n := to.node
	switch {
	case n == nil || n.Kind == Null:
		return
	case v.Type() == nodeType:
		v.Set(reflect.ValueOf(n))
		return
	case n.Kind == Empty:
		d.Fault("has no value", emptyHint(v.Type()))
		return
	case v.Kind() == reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			fresh.Elem().Set(v.Elem()) // defaults, which others may share
		}
		d.decode(to, fresh.Elem())
		v.Set(fresh)
		return
	}
	before := len(d.faults)
	var inlined []reflect.Value
	if u, ok := reflect.TypeAssert[Unmarshaler](v.Addr()); ok {
		u.UnmarshalStrict(n, d)
	} else if v.Kind() == reflect.Struct {
		inlined = d.structure(n, v)
	} else {
		d.plain(n, v)
	}
	if len(d.faults) == before {
		for _, part := range append(inlined, v) {
			d.validate(part)
		}
	}
}

// plain fills what is neither a struct nor an Unmarshaler.
func (d *Decoder) plain(n *Node, v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		d.slice(n, v)
	case reflect.Map:
		d.mapping(n, v)
	default:
		d.scalar(n, v)
	}
}

func (d *Decoder) slice(n *Node, v reflect.Value) {
	if n.Kind != List {
		hint := ""
		if n.Kind == Scalar {
			hint = "write [" + n.Value + "]"
			if n.Quoted || len(n.Value) > 20 || strings.ContainsAny(n.Value, ",[]{}#\n") {
				hint = "put it in brackets"
			}
		}
		d.Fault("must be a list, is "+n.is(), hint)
		return
	}
	list := reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items))
	for i, item := range n.Items {
		if item.Kind == Null {
			to := d.at.item(i, item)
			d.faults = append(d.faults, to.fault("must not be null", "remove the item"))
			continue
		}
		d.decode(d.at.item(i, item), list.Index(i))
	}
	v.Set(list)
}

func (d *Decoder) mapping(n *Node, v reflect.Value) {
	t := v.Type()
	if t.Key().Kind() != reflect.String {
		panic(fmt.Sprintf("strict: cannot decode into %v: want a map with string keys", t))
	}
	if !d.wantMapping(n) {
		return
	}
	m := reflect.MakeMapWithSize(t, len(n.Pairs))
	for _, p := range n.Pairs {
		if p.Value.Kind == Null {
			continue
		}
		element := reflect.New(t.Elem()).Elem()
		d.decode(d.at.pair(p), element)
		m.SetMapIndex(reflect.ValueOf(p.Key.Value).Convert(t.Key()), element)
	}
	v.Set(m)
}

// wantMapping reports whether n is a mapping, and a fault when it is not.
func (d *Decoder) wantMapping(n *Node) bool {
	if n.Kind != Mapping {
		d.Fault("must be a mapping of keys to values, is "+n.is(), "")
	}
	return n.Kind == Mapping
}

func emptyHint(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	ordered := reflect.PointerTo(t).Implements(reflect.TypeFor[Unmarshaler]()) // a Map
	switch {
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Map, t.Kind() == reflect.Slice && ordered:
		return "write {} for one with nothing in it, or null for none"
	case t.Kind() == reflect.Slice:
		return "write [] for an empty list, or null for none"
	}
	return "give it one, or remove the key"
}

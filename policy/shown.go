package policy

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/stanch-go/stanch/internal/strict"
)

// A shown value is one of a policy as it is printed: with its key, and where it
// came from.
type shown struct {
	kind  strict.Kind // Scalar, List or Mapping
	key   string
	from  string  // of a Scalar, or of a List as a whole
	text  string  // of a Scalar
	quote bool    // whether JSON has it as a string
	items []shown // of a List or a Mapping
}

// show returns what is in force: what the file gives, and everything else that
// has an effect.
func (p *Policy) show() shown {
	e := p.Effective()
	for i := range e.Dependencies {
		if s := e.Dependencies[i].Value.Fallback.Static; s != nil && s.File != "" {
			if path, err := filepath.Rel(filepath.Dir(p.Path), s.path); err == nil {
				s.File = path // as seen from this file, whichever names it
			}
		}
	}
	e.Include = nil // it is all in here
	root, _ := shower{variables: p.variables}.value("", reflect.ValueOf(e).Elem(), reflect.Value{}, p.root)
	return root
}

// A shower makes shown values of Go values.
type shower struct {
	variables map[*strict.Node]string
	class     string // of the dependency that is being shown
}

// value shows v. n is where a file gives it, or nil; preset is what it is by its
// class, or the zero Value. ok is false for what is neither given nor has an
// effect.
func (s shower) value(key string, v, preset reflect.Value, n *strict.Node) (out shown, ok bool) {
	out.key = key
	switch t := v.Type(); {
	case t.Kind() == reflect.Pointer:
		if v.IsNil() {
			return out, false
		}
		return s.value(key, v.Elem(), reflect.Value{}, n)
	case slices.Contains(sections, t) && (isOff(n) || v.IsZero() && !given(n)):
		out.kind, out.text, out.quote, out.from = strict.Scalar, "off", true, s.from(n, false)
		return out, true
	case t.Kind() == reflect.Struct:
		out.kind, out.items = strict.Mapping, s.fields(v, preset, n)
	case isMap(t):
		out.kind, out.items = strict.Mapping, s.entries(v, n)
	case t == reflect.TypeFor[OneOrMore]() && v.Len() == 1:
		return s.value(key, v.Index(0), preset, n)
	case t.Kind() == reflect.Slice:
		out.kind, out.from, out.items = strict.List, s.from(n, false), s.list(v)
	default:
		out.kind = strict.Scalar
		out.text, out.quote = text(v)
		out.from = s.from(n, preset.IsValid() && preset.Equal(v))
		return out, given(n) || !v.IsZero()
	}
	return out, given(n) || len(out.items) > 0
}

// fields shows the keys of a struct.
func (s shower) fields(v, preset reflect.Value, n *strict.Node) (items []shown) {
	for _, k := range keysOf(v.Type()) {
		var by reflect.Value
		if preset.IsValid() {
			by = preset.FieldByIndex(k.Index)
		}
		if item, ok := s.value(k.name, v.FieldByIndex(k.Index), by, n.Get(k.name)); ok {
			items = append(items, item)
		}
	}
	return items
}

// entries shows a mapping of names. A dependency has a preset.
func (s shower) entries(v reflect.Value, n *strict.Node) (items []shown) {
	for i := range v.Len() {
		name, value := v.Index(i).Field(0).String(), v.Index(i).Field(1)
		at := n.Get(name)
		var by reflect.Value
		if d, ok := reflect.TypeAssert[Dependency](value); ok && given(at) {
			var p preset
			strict.Decode(at, &p)
			by, s.class = reflect.ValueOf(Dependency(p)), string(d.Class)
		}
		item, _ := s.value(name, value, by, at)
		items = append(items, item)
	}
	return items
}

// A preset is what a dependency begins with.
type preset Dependency

func (p *preset) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	(*Dependency)(p).Preset(n, d)
}

// list shows the items of a list. The place of the list is theirs.
func (s shower) list(v reflect.Value) (items []shown) {
	for i := range v.Len() {
		item, _ := s.value("", v.Index(i), reflect.Value{}, nil)
		item.clear()
		items = append(items, item)
	}
	return items
}

// clear forgets where a value and all in it came from.
func (s *shown) clear() {
	s.from = ""
	for i := range s.items {
		s.items[i].clear()
	}
}

// from says where a value came from.
func (s shower) from(n *strict.Node, byClass bool) string {
	switch {
	case given(n):
		place := fmt.Sprintf("%s:%d", n.File, n.Line)
		if names := s.variables[n]; names != "" {
			return names + ", " + place
		}
		return place
	case byClass:
		return "class " + s.class
	}
	return "default"
}

func isMap(t reflect.Type) bool {
	return t.PkgPath() == reflect.TypeFor[strict.Node]().PkgPath() && strings.HasPrefix(t.Name(), "Map[")
}

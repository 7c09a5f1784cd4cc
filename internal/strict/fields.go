package strict

import (
	"reflect"
	"strings"
)

// A field is a struct's field that a key fills.
type field struct {
	name     string
	value    reflect.Value
	required bool
}

// fieldsOf returns the fields of a struct in their order, with those of the
// structs inlined in it, and these structs.
func fieldsOf(v reflect.Value) (fields []field, inlined []reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		inline := strings.Contains(","+options+",", ",inline,") || f.Anonymous && name == ""
		switch {
		case inline && f.Type.Kind() == reflect.Struct:
			more, deeper := fieldsOf(v.Field(i))
			fields = append(fields, more...)
			inlined = append(inlined, deeper...)
			if f.IsExported() {
				inlined = append(inlined, v.Field(i))
			}
		case f.IsExported() && name != "" && name != "-":
			fields = append(fields, field{
				name:     name,
				value:    v.Field(i),
				required: f.Tag.Get("strict") == "required",
			})
		}
	}
	return fields, inlined
}

// structure fills a struct and returns the structs inlined in it.
func (d *Decoder) structure(n *Node, v reflect.Value) (inlined []reflect.Value) {
	if !d.wantMapping(n) {
		return nil
	}
	fields, inlined := fieldsOf(v)
	names := make([]string, len(fields))
	byName := make(map[string]reflect.Value, len(fields))
	for i, f := range fields {
		names[i] = f.name
		byName[f.name] = f.value
	}
	meant := map[string]bool{} // by keys that are misspelt
	for _, p := range n.Pairs {
		if value, ok := byName[p.Key.Value]; ok {
			d.decode(d.at.pair(p), value)
			continue
		}
		f := spot{path: joinKey(d.at.path, p.Key.Value), node: p.Key}.fault("unknown key", "")
		if near, ok := nearest(p.Key.Value, names); ok {
			meant[near] = true
		}
		f.Hint = suggest(p.Key.Value, names, "valid keys:")
		d.faults = append(d.faults, f)
	}
	for _, f := range fields {
		if given := n.Get(f.name); f.required && (given == nil || given.Kind == Null) && !meant[f.name] {
			d.faults = append(d.faults, d.at.faultAt(joinKey(d.at.path, f.name), "must be given", ""))
		}
	}
	return inlined
}

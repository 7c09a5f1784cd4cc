package strict

import (
	"reflect"
	"strings"
)

// validate asks a value at the current spot for its own faults.
func (d *Decoder) validate(v reflect.Value) {
	validator, ok := reflect.TypeAssert[interface{ Validate() error }](v.Addr())
	if !ok {
		return
	}
	err := validator.Validate()
	if err == nil {
		return
	}
	for _, text := range texts(err, nil) {
		d.faults = append(d.faults, d.relative(text, v))
	}
}

// texts takes joined errors apart.
func texts(err error, into []string) []string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			into = texts(e, into)
		}
		return into
	}
	return append(into, err.Error())
}

// relative places a text of the form "field.path: what is wrong". Any other
// text, even with a colon in it, is about the value itself.
func (d *Decoder) relative(text string, v reflect.Value) Fault {
	path, rest, ok := strings.Cut(text, ": ")
	steps, isPath := parsePath(path)
	if !ok || !isPath || !d.has(steps[0], v) {
		return d.at.fault(text, "")
	}
	full := d.at.path
	for _, s := range steps {
		if s.key != "" {
			full = joinKey(full, s.key)
		} else {
			full = joinIndex(full, s.index)
		}
	}
	return d.at.walk(steps).faultAt(full, rest, "")
}

// has reports whether a step leads anywhere from the current spot, as a field
// that may be given or as something that is.
func (d *Decoder) has(s step, v reflect.Value) bool {
	if v.Kind() == reflect.Struct {
		fields, _ := fieldsOf(v)
		for _, f := range fields {
			if f.name == s.key {
				return true
			}
		}
	}
	return d.at.walk([]step{s}).path != d.at.path
}

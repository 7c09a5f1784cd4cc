package fallback

import (
	"reflect"
	"unsafe"
)

// overhead is roughly what the store's map needs for an entry besides it.
const overhead = 48

// footprint estimates what a snapshot takes in memory: the entry, and all that
// its key and value point to. What is reached twice by pointer counts once;
// the parts of two slices or strings that overlap count twice; functions and
// channels count as pointers.
func footprint[K comparable, T any](key K, v T) int64 {
	total := int64(unsafe.Sizeof(entry[K, T]{})) + overhead
	return total + reached(reflect.ValueOf(&key).Elem()) + reached(reflect.ValueOf(&v).Elem())
}

// reached adds up what is behind the pointers in v. It keeps a list of what is
// left to see rather than recurse, for a value may be a long linked list.
func reached(v reflect.Value) (total int64) {
	type object struct {
		at  unsafe.Pointer
		typ reflect.Type
	}
	seen := make(map[object]bool)
	first := func(v reflect.Value) bool {
		o := object{v.UnsafePointer(), v.Type()}
		again := seen[o]
		seen[o] = true
		return !again
	}
	for left := []reflect.Value{v}; len(left) > 0; {
		v, left = left[len(left)-1], left[:len(left)-1]
		switch v.Kind() {
		case reflect.String:
			total += int64(v.Len())
		case reflect.Pointer:
			if !v.IsNil() && first(v) {
				total += int64(v.Type().Elem().Size())
				left = append(left, v.Elem())
			}
		case reflect.Interface:
			if !v.IsNil() {
				total += int64(v.Elem().Type().Size())
				left = append(left, v.Elem())
			}
		case reflect.Slice:
			if v.Cap() > 0 && first(v) {
				total += int64(v.Cap()) * int64(v.Type().Elem().Size())
				left = appendElements(left, v)
			}
		case reflect.Array:
			left = appendElements(left, v)
		case reflect.Map:
			if v.Len() > 0 && first(v) {
				for i := v.MapRange(); i.Next(); {
					total += int64(v.Type().Key().Size()+v.Type().Elem().Size()) + 1
					left = append(left, i.Key(), i.Value())
				}
			}
		case reflect.Struct:
			for i := v.NumField() - 1; i >= 0; i-- { // v.Fields would allocate
				if f := v.Field(i); points(f.Type()) {
					left = append(left, f)
				}
			}
		}
	}
	return total
}

func appendElements(left []reflect.Value, v reflect.Value) []reflect.Value {
	if points(v.Type().Elem()) {
		for i := range v.Len() {
			left = append(left, v.Index(i))
		}
	}
	return left
}

// points reports whether a value of that type can point to more memory. It
// spares the elements of a []byte a visit each.
func points(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map, reflect.Struct:
		return true
	case reflect.Array:
		return t.Len() > 0 && points(t.Elem())
	}
	return false
}

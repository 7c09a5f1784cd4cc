// Package strict reads YAML files that people write by hand, and tells them
// everything that is wrong in one go, each fault with its place.
//
// Parse turns a file into a tree of Nodes, Merge lays one tree over another,
// and Decode fills a Go value from a tree:
//
//	root, err := strict.Parse("policy.yaml", data)
//	...
//	var policy Policy
//	if faults := strict.Decode(root, &policy); len(faults) > 0 {
//		fmt.Print(faults.Pretty(map[string][]byte{"policy.yaml": data}))
//	}
//
// # What is read
//
// YAML 1.2 with fewer surprises. Keys are plain text and stand once. Anchors
// and aliases share whole values; merge keys (<<), which YAML 1.2 dropped, and
// tags (!!int, !x) are refused. A key without any value is a fault, since it
// is nearly always an unfinished line; an explicit null means "not given".
// The tree is bounded by MaxBytes, MaxDepth and MaxValues, aliases expanded.
//
// # How Go values are filled
//
//   - Struct fields by the name in their `yaml:"name"` tag; fields without a
//     name, or named "-", are not for files. Embedded structs and fields tagged
//     `yaml:",inline"` lend their fields to the struct around them. With
//     `strict:"required"` a key must be there. What a file does not give
//     keeps the value it had before Decode: that is how defaults are set.
//   - time.Duration in Go's syntax, always with a unit: 250ms, 1m30s.
//   - Size with a unit: 512B, 64KiB, 1MB.
//   - Integers in plain decimal; floats in plain decimal or as 30%.
//   - Booleans as true or false and nothing else.
//   - Strings take any single value as it is written; a string type with a
//     method Values() []string takes one of those.
//   - Slices, pointers, maps with string keys, and Map, which keeps the order
//     of the file. A *Node takes the tree below it, undecoded.
//   - A type with the method UnmarshalStrict decodes itself: see Unmarshaler.
//
// Whatever has been decoded without a fault and has the method
// Validate() error is asked, at every level. Faults that it returns, joined
// with errors.Join and each beginning with the path of its field, as in
// "cooldown: must not be negative, is -1s", are placed at that field.
//
// Fields of any other type are a mistake of the program and panic. No file
// makes this package panic.
package strict

// Bounds of what Parse reads. They are far beyond any file written by hand.
const (
	MaxBytes  = 1 << 20 // size of a file
	MaxDepth  = 64      // nesting
	MaxValues = 100_000 // keys and values, aliases expanded
)

// MaxShown is how many faults are printed; the rest is only counted.
const MaxShown = 20

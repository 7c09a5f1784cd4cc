package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stanch-go/stanch/internal/strict"
)

// Parse reads a scenario from text; file is its name in faults.
//
// What stands at the top level of the file is the world that all variants
// share; what a variant says is laid over it key by key, and a null takes a key
// away. A file without variants has one, called "only".
func Parse(file string, text []byte) (*Scenario, error) {
	root, err := strict.Parse(file, text)
	if err != nil {
		return nil, err
	}
	s := &Scenario{File: file, Text: text}
	head, world := split(root, "scenario", "title", "about", "expect")
	list, world := split(world, "variants")
	faults := strict.Decode(head, s)
	variants := list.Get("variants")
	if variants == nil {
		faults = append(faults, s.add("only", nil, world)...)
	} else {
		var nodes []*strict.Node
		list := strict.Decode(variants, &nodes)
		faults = append(faults, list...)
		for _, n := range nodes {
			faults = append(faults, s.variant(n, world)...)
		}
		if len(nodes) == 0 {
			_, shared := decode(world)
			faults = append(faults, shared...)
		}
		if len(nodes) == 0 && len(list) == 0 {
			faults = append(faults, root.Fault("variants", "must name at least one variant"))
		}
	}
	if len(faults) == 0 {
		faults = s.checkExpected(root)
	}
	return s, faults.Sorted().Err()
}

// variant reads one entry of the list.
func (s *Scenario) variant(n, world *strict.Node) strict.Faults {
	head, over := split(n, "name", "published")
	v := Variant{}
	faults := strict.Decode(head, &v)
	if len(faults) > 0 {
		return faults
	}
	if slices.ContainsFunc(s.Variants, func(o Variant) bool { return o.Name == v.Name }) {
		return strict.Faults{n.Fault("name", fmt.Sprintf("there is a variant %q already", v.Name))}
	}
	faults = s.add(v.Name, v.Published, strict.Merge(world, over))
	if len(faults) > 0 {
		_, shared := decode(world)
		for i, f := range faults {
			if !slices.Contains(shared, f) && !below(over, f.Line, f.Column) {
				faults[i].Text += fmt.Sprintf(", in variant %q", v.Name) // nothing at its place tells
			}
		}
	}
	return append(faults, nothingThere(world, over, nil)...)
}

func (s *Scenario) add(name string, published Map[float64], world *strict.Node) strict.Faults {
	p, world, faults := policyFile(world)
	m, more := decode(world)
	faults = append(faults, more...)
	if p != nil && len(faults) == 0 {
		if err := m.Use(p); err != nil {
			faults = append(faults, world.Fault("policy", err.Error()))
		}
	}
	s.Variants = append(s.Variants, Variant{Name: name, Published: published, Model: m})
	return faults
}

// decode reads a model. What shows only between its parts is told even when
// strict.Decode does not ask for it, since a part has a fault of its own.
func decode(world *strict.Node) (Model, strict.Faults) {
	// The other keys of a file have been split off; they are here so that a
	// misspelt one is recognised.
	var file struct {
		Model     `yaml:",inline"`
		Scenario  *strict.Node `yaml:"scenario"`
		Title     *strict.Node `yaml:"title"`
		About     *strict.Node `yaml:"about"`
		Expect    *strict.Node `yaml:"expect"`
		Variants  *strict.Node `yaml:"variants"`
		Name      *strict.Node `yaml:"name"`
		Published *strict.Node `yaml:"published"`
	}
	faults := strict.Decode(world, &file)
	for _, f := range faults {
		if !strings.ContainsAny(f.Path, ".[") && !slices.Contains([]string{"seed", "duration", "drain"}, f.Path) {
			return file.Model, faults // a section could not be read at all: what refers to it would look wrong
		}
	}
	if len(faults) == 0 {
		return file.Model, nil
	}
	parts := faults
	for _, err := range file.Model.between() {
		path, text, _ := strings.Cut(err.Error(), ": ")
		told := func(f strict.Fault) bool { return within(f.Path, path) || within(path, f.Path) }
		if !slices.ContainsFunc(parts, told) {
			faults = append(faults, world.Fault(path, text))
		}
	}
	return file.Model, faults
}

// within reports whether a path leads to outer or further.
func within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// below reports whether something under n stands at the place.
func below(n *strict.Node, line, column int) bool {
	at := func(n *strict.Node) bool { return n.Line == line && n.Column == column }
	for _, p := range n.Pairs {
		if at(p.Key) || at(p.Value) || below(p.Value, line, column) {
			return true
		}
	}
	return slices.ContainsFunc(n.Items, func(item *strict.Node) bool { return at(item) || below(item, line, column) })
}

// nothingThere finds the nulls of a variant that take nothing away.
func nothingThere(world, over *strict.Node, path []string) (faults strict.Faults) {
	for _, p := range over.Pairs {
		base := world.Get(p.Key.Value)
		switch {
		case base == nil && p.Value.Kind == strict.Null:
			faults = append(faults, p.Key.Fault("", strings.Join(append(path, p.Key.Value), ".")+": takes nothing away; the other variants do not have it either"))
		case base != nil && base.Kind == strict.Mapping:
			faults = append(faults, nothingThere(base, p.Value, append(path, p.Key.Value))...)
		}
	}
	return faults
}

// split parts a mapping into the pairs with the given keys and the others.
func split(n *strict.Node, keys ...string) (with, without *strict.Node) {
	if n.Kind != strict.Mapping {
		return n, n
	}
	a, b := *n, *n
	a.Pairs, b.Pairs = nil, nil
	for _, p := range n.Pairs {
		if slices.Contains(keys, p.Key.Value) {
			a.Pairs = append(a.Pairs, p)
		} else {
			b.Pairs = append(b.Pairs, p)
		}
	}
	return &a, &b
}

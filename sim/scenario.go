package sim

import (
	"fmt"
	"os"
	"slices"

	"github.com/stanch-go/stanch/internal/strict"
)

// A Scenario is an incident to be played: the same load against several
// variants of the world, side by side, and what is expected of each.
type Scenario struct {
	// Name is what it is called in results.
	Name string `yaml:"scenario" strict:"required"`
	// Title says in one line what it shows.
	Title string `yaml:"title"`
	// About says what the scenario shows and where its parameters come from.
	About string `yaml:"about"`
	// Expect are lines such as "full: latency_ms.max <= 250".
	Expect []Expected `yaml:"expect"`
	// Variants are the worlds, in the order in which they are shown.
	Variants []Variant `yaml:"-"`

	// File and Text are where the scenario was read from.
	File string `yaml:"-"`
	Text []byte `yaml:"-"`
}

// A Variant is one world of a scenario.
type Variant struct {
	// Name is what it is called in results and expectations; no two have the same.
	Name string `yaml:"name" strict:"required"`
	// Published are the figures that others printed for it, by the path of the
	// figure, to be shown beside ours.
	Published Map[float64] `yaml:"published"`
	Model     Model        `yaml:"-"`
}

// ReadFile reads a scenario file. The error lists every fault with its place.
func ReadFile(path string) (*Scenario, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

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
		faults = append(faults, strict.Decode(variants, &nodes)...)
		for _, n := range nodes {
			faults = append(faults, s.variant(n, world)...)
		}
		if len(nodes) == 0 && len(faults) == 0 {
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
	if faults := strict.Decode(head, &v); len(faults) > 0 {
		return faults
	}
	if slices.ContainsFunc(s.Variants, func(o Variant) bool { return o.Name == v.Name }) {
		return strict.Faults{n.Fault("name", fmt.Sprintf("there is a variant %q already", v.Name))}
	}
	return s.add(v.Name, v.Published, strict.Merge(world, over))
}

func (s *Scenario) add(name string, published Map[float64], world *strict.Node) strict.Faults {
	s.Variants = append(s.Variants, Variant{Name: name, Published: published})
	return strict.Decode(world, &s.Variants[len(s.Variants)-1].Model)
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

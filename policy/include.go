package policy

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stanch-go/stanch/internal/strict"
)

// maxFiles is how many files a policy may be made of. A circle is found before,
// unless every round has another path, as with links.
const maxFiles = 64

// head is what every file says for itself, included or not.
type head struct {
	Version version  `yaml:"version" strict:"required"`
	Include []string `yaml:"include"`
}

// A version is checked in every file: that of an included one would otherwise be
// covered by the others.
type version int

func (v *version) UnmarshalStrict(n *strict.Node, d *strict.Decoder) {
	if d.Decode(n, (*int)(v)) && *v != Version {
		d.Fault(fmt.Sprintf("must be %d, is %d", Version, *v), "")
	}
}

// tree returns what a file says laid over what it includes, and its list of
// includes. It is nil when the file cannot be used.
func (r *reader) tree(file string, text []byte) (*strict.Node, []string) {
	root, err := strict.Parse(file, text)
	if err != nil {
		r.faults = append(r.faults, err.(strict.Faults)...)
		r.broken = true
		return nil, nil
	}
	root = strict.Replace(root, r.expand)
	if root.Kind != strict.Mapping {
		r.faults = append(r.faults, strict.Decode(root, new(head))...)
		return nil, nil
	}
	own, rest := *root, *root
	own.Pairs, rest.Pairs = nil, nil
	for _, p := range root.Pairs {
		switch p.Key.Value {
		case "version":
			own.Pairs, rest.Pairs = append(own.Pairs, p), append(rest.Pairs, p)
		case "include":
			own.Pairs = append(own.Pairs, p)
		default:
			rest.Pairs = append(rest.Pairs, p)
		}
	}
	var h head
	r.faults = append(r.faults, r.explain(strict.Decode(&own, &h))...)

	r.stack = append(r.stack, filepath.Clean(file))
	var base *strict.Node
	for i := range h.Include {
		if h.Include[i] == "" {
			continue // null or a fault
		}
		at := own.Fault(fmt.Sprintf("include[%d]", i), "")
		base = strict.Merge(base, r.include(beside(file, h.Include[i]), at))
	}
	r.stack = r.stack[:len(r.stack)-1]
	return strict.Merge(base, &rest), h.Include
}

// include returns the tree of an included file; at is where it is named.
func (r *reader) include(path string, at Fault) *strict.Node {
	clean := filepath.Clean(path)
	if !printablePath(path) {
		at.Text = fmt.Sprintf("must be the path of a file, is %q", short(path))
	} else if i := slices.Index(r.stack, clean); i >= 0 {
		at.Text = "includes in a circle: " + strings.Join(append(slices.Clone(r.stack[i:]), clean), ", ")
	} else if layer, ok := r.layers[clean]; ok {
		return layer
	} else if len(r.files) >= maxFiles {
		at.Text = fmt.Sprintf("is one file too many, %d may be read", maxFiles)
	} else if text, err := r.file(path); err != nil {
		at.Text = unreadable(err)
	} else {
		r.layers[clean], _ = r.tree(path, text)
		return r.layers[clean]
	}
	r.faults = append(r.faults, at)
	r.broken = true
	return nil
}

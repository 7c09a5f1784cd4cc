// Package diff says what a change of policy does: to the three sums, to the
// rules, and to the settings in force.
package diff

import (
	"slices"
	"strings"

	"github.com/stanch-go/stanch/lint"
)

// A Diff is what changes from one policy to another.
type Diff struct {
	Old, New *lint.Report
	// Dependencies are those of which a sum changes, in the order of the new file,
	// those that are gone at the end.
	Dependencies []Dependency
	// Same is how many dependencies keep their sums.
	Same int
	// Broken and Mended are the findings that are new and those that are gone,
	// without what the files allow.
	Broken, Mended []lint.Finding
	// Settings are the values in force that change, but for those of dependencies
	// that are new or gone.
	Settings []Setting
}

// A Dependency is one of which a sum changes, or that is new or gone.
type Dependency struct {
	Name      string
	New, Gone bool
	Figures   []Figure
}

// Compare says what changes.
func Compare(before, after *lint.Report) *Diff {
	d := &Diff{
		Old: before, New: after,
		Broken: without(after.Broken(lint.Info), before.Broken(lint.Info)),
		Mended: without(staying(before.Broken(lint.Info), after), after.Broken(lint.Info)),
	}
	for _, s := range after.Sums {
		old, known := sumsOf(before, s.Dependency)
		figures := changes(old, s)
		switch {
		case !known:
			d.Dependencies = append(d.Dependencies, Dependency{Name: s.Dependency, New: true, Figures: figuresOf(s)})
		case len(figures) == 0:
			d.Same++
		default:
			d.Dependencies = append(d.Dependencies, Dependency{Name: s.Dependency, Figures: figures})
		}
	}
	for _, s := range before.Sums {
		if _, stays := sumsOf(after, s.Dependency); !stays {
			d.Dependencies = append(d.Dependencies, Dependency{Name: s.Dependency, Gone: true})
		}
	}
	d.Settings = slices.DeleteFunc(settings(before.Policy, after.Policy), func(s Setting) bool {
		return slices.ContainsFunc(d.Dependencies, func(dep Dependency) bool {
			return (dep.New || dep.Gone) && strings.HasPrefix(s.Path, "dependencies."+dep.Name+".")
		})
	})
	return d
}

// staying are the findings that are not of a dependency which is gone.
func staying(findings []lint.Finding, after *lint.Report) []lint.Finding {
	return slices.DeleteFunc(findings, func(f lint.Finding) bool {
		_, stays := sumsOf(after, f.Dependency)
		return f.Dependency != "" && !stays
	})
}

func sumsOf(r *lint.Report, dependency string) (lint.Sums, bool) {
	i := slices.IndexFunc(r.Sums, func(s lint.Sums) bool { return s.Dependency == dependency })
	if i < 0 {
		return lint.Sums{}, false
	}
	return r.Sums[i], true
}

// without returns the findings that others do not have at the same path.
func without(findings, others []lint.Finding) []lint.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f lint.Finding) bool {
		return slices.ContainsFunc(others, func(o lint.Finding) bool { return o.Rule.Code == f.Rule.Code && o.Path == f.Path })
	})
}

package lint

import (
	"fmt"
	"slices"

	"github.com/stanch-go/stanch/policy"
)

// suppressions are what the policy allows. Those of a dependency are for its own
// findings, those of the file for all.
type suppressions struct {
	*world
	used map[string]bool // by path
}

// apply marks the findings that are allowed.
func (s *suppressions) apply(found []Finding) []Finding {
	for i := range found {
		f := &found[i]
		for path, a := range s.all {
			of := dependencyOf(path)
			if a.Check == f.Rule.Code && (of == "" || of == f.Dependency) {
				s.used[path] = true
				if f.Allowed == "" {
					f.Allowed = a.Reason
				}
			}
		}
	}
	return found
}

// all are the suppressions by path, in the order of the file.
func (s *suppressions) all(yield func(string, policy.Allow) bool) {
	for _, c := range s.calls {
		for i, a := range c.Allow {
			if !yield(fmt.Sprintf("%s[%d]", c.at("allow"), i), a) {
				return
			}
		}
	}
	for i, a := range s.file.Allow {
		if !yield(fmt.Sprintf("allow[%d]", i), a) {
			return
		}
	}
}

// check reports the suppressions that suppress nothing, now that all other
// rules have looked.
func (s *suppressions) check(p *Pass, rules []*Rule) {
	for path, a := range s.all {
		known := slices.ContainsFunc(Rules(), func(r *Rule) bool { return r.Code == a.Check })
		applied := slices.ContainsFunc(rules, func(r *Rule) bool { return r.Code == a.Check && r != needless })
		switch {
		case !known:
			p.report(path+".check", fmt.Sprintf("there is no rule %q", a.Check), "write a code that stanch check --rules lists, or remove the entry")
		case a.Check == needless.Code:
			p.report(path+".check", "a needless suppression cannot be suppressed", "remove the entry")
		case applied && !s.used[path]:
			p.report(path+".check", fmt.Sprintf("nothing here breaks %s", a.Check), "remove the entry, so that it does not hide the next one")
		}
	}
}

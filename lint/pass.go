package lint

import "strings"

// A Pass is one rule at one policy.
type Pass struct {
	*world
	rule     *Rule
	findings []Finding
}

// report notes a finding at a path. The text reads on from the path.
func (p *Pass) report(path, text, remedy string) {
	at := p.policy.Fault(path, "", "")
	f := Finding{
		Rule: p.rule, File: at.File, Line: at.Line, Column: at.Column,
		Path: path, Dependency: dependencyOf(path), Text: text, Remedy: remedy,
	}
	p.findings = append(p.findings, f)
}

// dependencyOf returns the name of the dependency that a path is in, or nothing.
func dependencyOf(path string) string {
	rest, ok := strings.CutPrefix(path, dependencies)
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, ".")
	return name
}

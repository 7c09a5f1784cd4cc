// Package lint finds in a policy what would let an incident happen: limits that
// do not fit each other, protections that never act, keys without effect. It
// also does three sums for every dependency: how long a call can take, what the
// service still serves when the dependency hangs, and how much retries add.
//
// A rule is data: a code, what is wrong, why with a figure, a bad and a good
// policy, and the function that looks. Rules lists them all.
//
// Ceilings that share one budget of time are not added up. A call is bounded so
// by timeout.total, and by timeout.reserve, which says that the deadline of the
// caller is handed on to it.
package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stanch-go/stanch/policy"
)

// Severity is how much a finding matters.
type Severity string

// The severities.
const (
	Error   Severity = "error"   // one fault of this dependency takes the service down, or does harm that stays
	Warning Severity = "warning" // a fault gets worse, or a protection does less than it seems to
	Info    Severity = "info"    // worth to know
)

// Values lists the severities, the gravest first.
func (Severity) Values() []string { return []string{string(Error), string(Warning), string(Info)} }

// AtLeast reports whether s is as grave as least or graver.
func (s Severity) AtLeast(least Severity) bool {
	return slices.Index(s.Values(), string(s)) <= slices.Index(s.Values(), string(least))
}

// A Finding is one place at which a policy breaks a rule.
type Finding struct {
	Rule *Rule
	// File, Line and Column are the place of the value, or of what is around it
	// where the file does not give it. Columns are in characters, from 1.
	File         string
	Line, Column int
	// Path is that of the value, such as dependencies.recommend.timeout.attempt.
	Path string
	// Dependency is the one concerned; empty when it is the whole file.
	Dependency string
	// Text says what is wrong, with the numbers of this file.
	Text string
	// Remedy says what to do about it.
	Remedy string
	// Allowed is the reason that the file gives for letting it be. Empty: none.
	Allowed string
}

func (f Finding) String() string {
	return fmt.Sprintf("%s:%d:%d: %s %s: %s: %s", f.File, f.Line, f.Column, f.Rule.Severity, f.Rule.Code, f.Path, f.Text)
}

// A Report is what was found in one policy.
type Report struct {
	Policy *policy.Policy
	// Findings are in the order of their places. Those that the file allows are
	// among them.
	Findings []Finding
	// Sums are those of the dependencies, in the order of the file.
	Sums []Sums
	// Inbound is what the service takes in; nil without an inbound section.
	Inbound *Intake
	// Unknown are keys that the file does not give, without which some rules
	// cannot look or sums cannot be done.
	Unknown []Unknown
}

// Check applies all rules to a policy.
func Check(p *policy.Policy) *Report { return check(p, Rules()) }

func check(p *policy.Policy, rules []*Rule) *Report {
	w := newWorld(p)
	s := &suppressions{world: w, used: map[string]bool{}}
	r := &Report{Policy: p, Sums: w.sums(), Inbound: w.intake(), Unknown: w.unknown()}
	for _, rule := range rules {
		if rule.Check != nil {
			pass := &Pass{world: w, rule: rule}
			rule.Check(pass)
			r.Findings = append(r.Findings, s.apply(pass.findings)...)
		}
	}
	if slices.Contains(rules, needless) {
		pass := &Pass{world: w, rule: needless}
		s.check(pass, rules)
		r.Findings = append(r.Findings, pass.findings...)
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Rule.Code, b.Rule.Code), strings.Compare(a.Path, b.Path), strings.Compare(a.Text, b.Text),
		)
	})
	return r
}

// Broken returns the findings that are at least so grave and not allowed.
func (r *Report) Broken(least Severity) []Finding {
	var broken []Finding
	for _, f := range r.Findings {
		if f.Allowed == "" && f.Rule.Severity.AtLeast(least) {
			broken = append(broken, f)
		}
	}
	return broken
}

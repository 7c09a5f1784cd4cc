package lint

import (
	"fmt"
	"slices"
	"strings"
)

// A Rule is one thing that can be wrong with a policy, and its documentation.
type Rule struct {
	// Code names the rule for ever: ST and three digits, of which the first is
	// the group.
	Code string
	// Title says what is wrong.
	Title string
	// Severity is that of all its findings.
	Severity Severity
	// Why says what follows from it, with a figure and where that is from. The
	// first sentence stands alone.
	Why string
	// Bad and Good are policies, without their version line: one that breaks the
	// rule, and the same mended.
	Bad, Good string
	// Check reports where a policy breaks the rule.
	Check func(*Pass)
}

// Groups are the kinds of rules by the first digit of their codes, in order.
var Groups = []struct{ Digit, Title string }{
	{"1", "Time"},
	{"2", "Retries"},
	{"3", "Breaker"},
	{"4", "Bulkhead and pools"},
	{"5", "Fallback"},
	{"6", "Layers and the whole"},
	{"7", "Inbound"},
	{"9", "No effect"},
}

// Group returns the digit of the rule's group.
func (r *Rule) Group() string { return r.Code[2:3] }

// Brief is the first sentence of Why.
func (r *Rule) Brief() string {
	if end := strings.Index(r.Why, ". "); end >= 0 {
		return r.Why[:end]
	}
	return strings.TrimSuffix(r.Why, ".")
}

// File makes a whole policy of one of the rule's examples.
func File(example string) string { return "version: 1\n" + example }

// Find returns the rule of a code, or an error that says which is near.
func Find(code string) (*Rule, error) {
	all := Rules()
	i := slices.IndexFunc(all, func(r *Rule) bool { return strings.EqualFold(r.Code, code) })
	if i < 0 {
		return nil, fmt.Errorf("there is no rule %q; they are %s to %s, see stanch check --rules", code, all[0].Code, all[len(all)-1].Code)
	}
	return all[i], nil
}

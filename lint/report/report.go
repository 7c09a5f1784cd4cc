// Package report writes what the checks of policies found: for people, as JSON,
// as SARIF, and as annotations of GitHub; and it writes the rules themselves.
package report

import (
	"fmt"
	"slices"

	"github.com/stanch-go/stanch/lint"
)

// counts are how many findings there are, by severity, and how many are allowed.
type counts struct {
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Infos    int `json:"infos"`
	Allowed  int `json:"allowed"`
}

func count(findings []lint.Finding) (n counts) {
	for _, f := range findings {
		switch {
		case f.Allowed != "":
			n.Allowed++
		case f.Rule.Severity == lint.Error:
			n.Errors++
		case f.Rule.Severity == lint.Warning:
			n.Warnings++
		default:
			n.Infos++
		}
	}
	return n
}

func (n counts) String() string {
	text := ""
	for _, part := range []struct {
		n    int
		word string
	}{{n.Errors, "error"}, {n.Warnings, "warning"}, {n.Infos, "info"}} {
		if part.n == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%d %s", part.n, part.word)
		if part.n > 1 {
			text += "s"
		}
	}
	if text == "" {
		text = "nothing found"
	}
	if n.Allowed > 0 {
		text += fmt.Sprintf("; %d allowed by the file", n.Allowed)
	}
	return text
}

// groups are the rules of each kind, in order.
func groups(yield func(title string, rules []*lint.Rule) bool) {
	for _, g := range lint.Groups {
		rules := slices.DeleteFunc(lint.Rules(), func(r *lint.Rule) bool { return r.Group() != g.Digit })
		if !yield(g.Title, rules) {
			return
		}
	}
}

package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/stanch-go/stanch/lint"
)

// Rules writes the list of all rules.
func Rules(w io.Writer, o TextOptions) error {
	t := newText(o)
	for title, rules := range groups {
		t.put("%s\n", t.in(bold, title))
		for _, r := range rules {
			t.put("  %s  %s%s  %s\n", r.Code, t.severity(r.Severity), strings.Repeat(" ", len("warning")-len(r.Severity)), r.Title)
		}
		t.put("\n")
	}
	t.put("stanch check --explain CODE says why, with examples.\n")
	_, err := io.WriteString(w, t.String())
	return err
}

// Explain writes one rule with its examples.
func Explain(w io.Writer, r *lint.Rule, o TextOptions) error {
	t := newText(o)
	t.put("%s\n%s\n\n", t.in(bold, r.Code+": "+r.Title), t.severity(r.Severity))
	for _, line := range wrap(r.Why, t.width) {
		t.put("%s\n", line)
	}
	t.put("\n%s\n%s\n%s\n%s", t.in(bold, "Breaks it"), indented(r.Bad), t.in(bold, "Does not"), indented(r.Good))
	t.put("\n%s\n  allow: [{check: %s, reason: \"...\"}]\n", t.in(bold, "To let it be, in the dependency or for the whole file"), r.Code)
	_, err := io.WriteString(w, t.String())
	return err
}

func indented(example string) string {
	var b strings.Builder
	for line := range strings.Lines(example) {
		b.WriteString("  " + line)
	}
	return b.String()
}

// examples are those of a rule in Markdown.
func examples(r *lint.Rule) string {
	return fmt.Sprintf("%s\n\nBreaks it:\n\n```yaml\n%s```\n\nDoes not:\n\n```yaml\n%s```\n", r.Why, lint.File(r.Bad), lint.File(r.Good))
}

// Markdown is the list of all rules as a document, without its beginning.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| code | severity | what is wrong |\n|---|---|---|\n")
	for _, r := range lint.Rules() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.Code, anchor(r), r.Severity, r.Title)
	}
	for title, rules := range groups {
		fmt.Fprintf(&b, "\n## %s\n", title)
		for _, r := range rules {
			fmt.Fprintf(&b, "\n### %s: %s\n\n%s. %s", r.Code, r.Title, strings.ToUpper(string(r.Severity[:1]))+string(r.Severity[1:]), examples(r))
		}
	}
	return b.String()
}

// anchor is the name under which a rule is reached in the document.
func anchor(r *lint.Rule) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_':
			return c
		}
		return -1
	}, strings.ToLower(r.Code+": "+r.Title))
}

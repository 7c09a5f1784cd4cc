package diff

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes the diff for a comment on a change.
func (d *Diff) Markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**\n", cell(d.Headline()))
	if len(d.Dependencies) > 0 {
		b.WriteString("\n| dependency | | before | after | | |\n|---|---|---|---|---|---|\n")
	}
	for _, dep := range d.Dependencies {
		switch {
		case dep.New:
			fmt.Fprintf(&b, "| %s | | | is new | | |\n", dep.Name)
		case dep.Gone:
			fmt.Fprintf(&b, "| %s | | | is gone | | |\n", dep.Name)
		}
		for _, f := range dep.Figures {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", dep.Name, f.label(), f.Old, f.New, f.Factor, f.verdict())
		}
	}
	if same := d.same(); same != "" {
		fmt.Fprintf(&b, "\n%s\n", same)
	}
	if len(d.Broken) > 0 {
		b.WriteString("\n**Newly broken**\n\n")
		for _, f := range d.Broken {
			fmt.Fprintf(&b, "- %s %s in `%s:%d`, `%s`: %s. Fix: %s.\n", f.Rule.Severity, f.Rule.Code, f.File, f.Line, f.Path, cell(f.Text), cell(f.Remedy))
		}
	}
	if len(d.Mended) > 0 {
		b.WriteString("\n**Mended**\n\n")
		for _, f := range d.Mended {
			fmt.Fprintf(&b, "- %s, `%s`: %s\n", f.Rule.Code, f.Path, f.Rule.Title)
		}
	}
	if len(d.Settings) > 0 {
		b.WriteString("\n**Settings in force**\n\n| setting | before | after |\n|---|---|---|\n")
		for _, s := range d.Settings {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Path, cell(orAbsent(s.Old)), cell(orAbsent(s.New)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cell keeps what comes from a file from being markup.
func cell(text string) string { return escaped.Replace(text) }

var escaped = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", "\n", " ", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[")

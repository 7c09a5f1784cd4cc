package diff

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Text writes the diff for a terminal. Its first line is the Headline.
func (d *Diff) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", d.Headline())
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, dep := range d.Dependencies {
		switch {
		case dep.New:
			fmt.Fprintf(table, "\n%s\t\tis new\t\t\n", dep.Name)
		case dep.Gone:
			fmt.Fprintf(table, "\n%s\t\tis gone\t\t\n", dep.Name)
		default:
			fmt.Fprintf(table, "\n%s\tbefore\tafter\t\t\n", dep.Name)
		}
		for _, f := range dep.Figures {
			fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\n", f.label(), f.Old, f.New, f.Factor, f.verdict())
		}
	}
	_ = table.Flush() // to a strings.Builder
	if same := d.same(); same != "" {
		fmt.Fprintf(&b, "\n%s\n", same)
	}
	if len(d.Broken) > 0 {
		fmt.Fprintf(&b, "\nNewly broken\n")
		for _, f := range d.Broken {
			fmt.Fprintf(&b, "  %v\n    fix: %s\n", f, f.Remedy)
		}
	}
	if len(d.Mended) > 0 {
		fmt.Fprintf(&b, "\nMended\n")
		for _, f := range d.Mended {
			fmt.Fprintf(&b, "  %s: %s: %s\n", f.Rule.Code, f.Path, f.Rule.Title)
		}
	}
	if len(d.Settings) > 0 {
		fmt.Fprintf(&b, "\nSettings in force\n")
		for _, s := range d.Settings {
			fmt.Fprintf(table, "  %s\t%s -> %s\n", s.Path, orAbsent(s.Old), orAbsent(s.New))
		}
		_ = table.Flush()
	}
	_, err := io.WriteString(w, trimmed(b.String()))
	return err
}

// trimmed has no spaces at the ends of lines, which tables leave there.
func trimmed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

package diff

import "fmt"

// Headline is the one line that a reviewer must not miss.
func (d *Diff) Headline() string {
	dependency, f, ok := d.Worst()
	switch {
	case ok:
		return fmt.Sprintf("%s: %s: %s -> %s%s%s", dependency, f.Name, f.Old, f.New, after(" ", f.Unit, ""), after(" (", f.Factor, ")"))
	case len(d.Broken) > 0:
		return fmt.Sprintf("%d %s newly broken, and no sum changes", len(d.Broken), plural(len(d.Broken), "rule is", "rules are"))
	case len(d.Dependencies) > 0:
		return "dependencies come or go, the others keep their sums"
	case len(d.Mended) > 0:
		return fmt.Sprintf("%d %s mended, and no sum changes", len(d.Mended), plural(len(d.Mended), "rule is", "rules are"))
	case len(d.Settings) > 0:
		return fmt.Sprintf("%d %s, and neither a sum nor a rule", len(d.Settings), plural(len(d.Settings), "setting changes", "settings change"))
	}
	return "nothing changes that is in force"
}

// after puts a text between two others, or nothing where there is none.
func after(before, s, end string) string {
	if s == "" {
		return ""
	}
	return before + s + end
}

// label is the name with the unit.
func (f Figure) label() string { return f.Name + after(", ", f.Unit, "") }

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// verdict says whether a change of a figure is for the better.
func (f Figure) verdict() string {
	switch {
	case f.Old == "":
		return ""
	case f.Worse:
		return "worse"
	}
	return "better"
}

// same says how many dependencies are not listed.
func (d *Diff) same() string {
	switch d.Same {
	case 0:
		return ""
	case 1:
		return "1 dependency keeps its sums."
	}
	return fmt.Sprintf("%d dependencies keep their sums.", d.Same)
}

// absent stands for a value that there is not.
const absent = "(none)"

func orAbsent(s string) string {
	if s == "" {
		return absent
	}
	return s
}

package strict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Fault is one thing wrong in a file.
type Fault struct {
	File         string
	Line, Column int    // from 1, columns in characters; 0 when there is no place
	Path         string // of the value, such as dependencies.recommend.timeout; may be empty
	Text         string // what is wrong
	Hint         string // what may have been meant, or is allowed; may be empty
}

// Error returns "file:line:column: path: text; hint", without the parts that
// are not known.
func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.File)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	for _, part := range []string{f.Path, f.Text} {
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(part)
	}
	if f.Hint != "" {
		b.WriteString("; ")
		b.WriteString(f.Hint)
	}
	return b.String()
}

// Faults are all faults of a file, or of several, in the order of their
// places. An empty Faults is no error: use Err to return one as an error.
type Faults []Fault

// Error prints one fault a line, MaxShown at most.
func (fs Faults) Error() string {
	return fs.print(func(b *strings.Builder, f Fault) { b.WriteString(f.Error()) })
}

// Err returns fs as an error, nil when there are no faults.
func (fs Faults) Err() error {
	if len(fs) == 0 {
		return nil
	}
	return fs
}

// Unwrap returns each Fault as an error of its own.
func (fs Faults) Unwrap() []error {
	errs := make([]error, len(fs))
	for i, f := range fs {
		errs[i] = f
	}
	return errs
}

// Sorted returns the faults in the order of their places, without repetitions.
func (fs Faults) Sorted() Faults {
	sorted := slices.Clone(fs)
	slices.SortStableFunc(sorted, func(a, b Fault) int {
		return cmp.Or(
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Path, b.Path),
			strings.Compare(a.Text, b.Text),
		)
	})
	return slices.Compact(sorted)
}

func (fs Faults) print(one func(*strings.Builder, Fault)) string {
	var b strings.Builder
	for i, f := range fs {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == MaxShown {
			fmt.Fprintf(&b, "... and %d more", len(fs)-i)
			break
		}
		one(&b, f)
	}
	return b.String()
}

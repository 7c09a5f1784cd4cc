package policy

import (
	"errors"
	"fmt"
	"strings"
)

// A problem is what a Validate method finds, with the path of the key.
type problem struct{ path, text string }

func (p problem) Error() string { return p.path + ": " + p.text }

// problems collects them.
type problems []problem

func (p *problems) add(path, format string, args ...any) {
	*p = append(*p, problem{path, fmt.Sprintf(format, args...)})
}

func (p *problems) check(ok bool, path, format string, args ...any) {
	if !ok {
		p.add(path, format, args...)
	}
}

// below adds the faults of what stands at a path, with that path before each.
func (p *problems) below(path string, err error) {
	for _, e := range apart(err) {
		found := problemOf(e)
		p.add(path+"."+found.path, "%s", found.text)
	}
}

// join adds the faults of a part whose keys stand beside one's own.
func (p *problems) join(err error) {
	for _, e := range apart(err) {
		*p = append(*p, problemOf(e))
	}
}

// problemOf takes an error apart that begins with a path, as those of the
// mechanisms do.
func problemOf(err error) problem {
	if p, ok := err.(problem); ok {
		return p
	}
	path, text, _ := strings.Cut(err.Error(), ": ")
	return problem{path, text}
}

func (p problems) err() error {
	all := make([]error, len(p))
	for i := range p {
		all[i] = p[i]
	}
	return errors.Join(all...)
}

// apart undoes errors.Join, however deep.
func apart(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, apart(e)...)
	}
	return all
}

// entry is the path of a key in a mapping of names.
func entry(section, name string) string {
	if isName(name) {
		return section + "." + name
	}
	return fmt.Sprintf("%s[%q]", section, name)
}

// isName reports whether s may name a dependency or a pool. Such names are
// labels of metrics, parts of paths, and headers; none needs to be escaped in
// any of them.
func isName(s string) bool {
	for _, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '_', r == '-':
		default:
			return false
		}
	}
	return s != "" && len(s) <= 63
}

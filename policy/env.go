package policy

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stanch-go/stanch/internal/strict"
)

// A reference is a value that names variables of the environment.
type reference struct {
	text string // such as ${HOST}, or several
	bad  bool   // it could not be resolved
}

// expand puts the variables in a value. What comes from a variable is a single
// value, typed as if it were written there, and not looked at again: no variable
// can bring keys, lists, null or other variables into a file.
func (r *reader) expand(n *strict.Node, at Fault) *strict.Node {
	if !strings.Contains(n.Value, "$") {
		return n
	}
	out := *n
	value, names, err := r.resolve(n.Value)
	if r.expanded += len(value); err == nil && r.expanded > strict.MaxBytes {
		err = fmt.Errorf("values with variables are larger than %v in all", strict.Size(strict.MaxBytes))
	}
	if err != nil {
		r.places[at] = reference{bad: true}
		at.Text = err.Error()
		r.faults = append(r.faults, at)
		return &out
	}
	out.Value = value
	if len(names) > 0 {
		// Inside [] and {} YAML wants quotes around ${NAME}; they do not make a
		// number a text.
		out.Quoted = false
		r.places[at] = reference{text: strings.Join(names, ", ")}
		r.variables[&out] = r.places[at].text
	}
	return &out
}

// resolve replaces ${NAME} and ${NAME:-default}, and $$ by a dollar.
func (r *reader) resolve(text string) (value string, names []string, err error) {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "$")
		b.WriteString(before)
		switch {
		case !ok:
			return b.String(), names, nil
		case strings.HasPrefix(rest, "$"):
			b.WriteByte('$')
			text = rest[1:]
			continue
		case !strings.HasPrefix(rest, "{"):
			return "", nil, fmt.Errorf("has a $ that begins no ${NAME}; write $$ for a dollar")
		}
		inner, after, ok := strings.Cut(rest[1:], "}")
		if !ok {
			return "", nil, fmt.Errorf("has a ${ without its }")
		}
		name, value, err := r.variable(inner)
		if err != nil {
			return "", nil, err
		}
		if b.WriteString(value); b.Len() > strict.MaxBytes {
			return "", nil, fmt.Errorf("is larger than %v", strict.Size(strict.MaxBytes))
		}
		names, text = append(names, name), after
	}
}

// variable resolves what stands in the braces.
func (r *reader) variable(inner string) (name, value string, err error) {
	end := strings.IndexFunc(inner, func(c rune) bool { return !nameRune(c) })
	if end < 0 {
		end = len(inner)
	}
	name, rest := inner[:end], inner[end:]
	if name == "" || '0' <= name[0] && name[0] <= '9' || len(name) > 100 {
		return "", "", fmt.Errorf("has ${ without the name of a variable")
	}
	fallback, hasDefault := strings.CutPrefix(rest, ":-")
	switch {
	case rest != "" && !hasDefault:
		return "", "", fmt.Errorf("has ${%s with something other than } or :- after the name", name)
	case strings.ContainsAny(fallback, "${"):
		return "", "", fmt.Errorf("has a default of ${%s} with a $ or { in it, which is not supported", name)
	}
	value, set := r.env(name)
	r.note([]byte(name))
	r.note([]byte(value))
	switch {
	case set && (value != "" || !hasDefault):
		if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
			return "", "", fmt.Errorf("has the variable %s, which is not valid UTF-8", name)
		}
		return "${" + name + "}", value, nil
	case hasDefault:
		return "default of ${" + name + "}", fallback, nil
	}
	return "", "", fmt.Errorf("has the variable %s, which is not set; give it a default with ${%s:-...}", name, name)
}

func nameRune(c rune) bool {
	return c == '_' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}

// explain tells of faults in values that come from variables which ones these
// are, and drops those of values that could not be resolved.
func (r *reader) explain(faults Faults) Faults {
	var kept Faults
	for _, f := range faults {
		ref, ok := r.places[placeOf(f)]
		if ok && ref.bad {
			continue
		}
		if ok && f.Hint == "" {
			f.Hint = "the value is " + ref.text
		}
		kept = append(kept, f)
	}
	return kept
}

// placeOf is the fault without what it says.
func placeOf(f Fault) Fault {
	f.Text, f.Hint = "", ""
	return f
}

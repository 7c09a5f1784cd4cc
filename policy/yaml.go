package policy

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/stanch-go/stanch/internal/strict"
)

// YAML is the policy that is in force: every value that has an effect, with
// where it came from in a comment. It is itself a policy that guards calls in the
// same way.
func (p *Policy) YAML() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s, hash %s\n", printable(strings.Join(p.Files, ", ")), p.Hash)
	for _, item := range p.show().items {
		item.yaml(&b, "")
	}
	return []byte(b.String())
}

// yaml writes a value with its key, indented, on one line or several.
func (s shown) yaml(b *strings.Builder, indent string) {
	b.WriteString(indent + plain(s.key) + ":")
	switch {
	case s.kind == strict.Scalar:
		b.WriteString(" " + s.scalar())
	case len(s.items) == 0 && s.kind == strict.List:
		b.WriteString(" []")
	case len(s.items) == 0:
		b.WriteString(" {}")
	}
	if s.from != "" {
		b.WriteString("  # " + printable(s.from))
	}
	b.WriteByte('\n')
	for _, item := range s.items {
		switch {
		case s.kind == strict.Mapping:
			item.yaml(b, indent+"  ")
		case item.kind == strict.Scalar:
			b.WriteString(indent + "  - " + item.scalar() + "\n")
		default:
			// The dash takes the place of the first key's indentation.
			var inner strings.Builder
			for _, sub := range item.items {
				sub.yaml(&inner, indent+"    ")
			}
			b.WriteString(indent + "  - " + strings.TrimPrefix(inner.String(), indent+"    "))
		}
	}
}

func (s shown) scalar() string {
	if s.quote {
		return plain(s.text)
	}
	return s.text
}

// plain writes a text as it is where YAML takes it for nothing else, and in
// quotes where it might.
func plain(text string) string {
	const safe = "_./:@%+=-$" // inside; the rest are letters and digits
	for i, r := range text {
		alphanumeric := r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
		if !alphanumeric && (i == 0 && r != '/' && r != '$' || !strings.ContainsRune(safe, r)) {
			return strconv.Quote(text)
		}
	}
	switch {
	case text == "", strings.EqualFold(text, "null"), strings.HasSuffix(text, ":"):
		return strconv.Quote(text)
	}
	return text
}

// printable keeps what stands in a comment on its line.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

package policy

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/stanch-go/stanch/internal/strict"
)

// JSON is what YAML is, for programs: an object with the keys "path", "files",
// "hash", "policy", which is itself a policy file, and "from", which says by the
// path of each value where it came from.
func (p *Policy) JSON() []byte {
	root := p.show()
	from := map[string]string{}
	root.sources("", from)
	compact, err := json.Marshal(struct {
		Path   string            `json:"path"`
		Files  []string          `json:"files"`
		Hash   string            `json:"hash"`
		Policy json.RawMessage   `json:"policy"`
		From   map[string]string `json:"from"`
	}{p.Path, p.Files, p.Hash, root.json(nil), from})
	if err != nil {
		panic(fmt.Sprintf("policy: %v", err)) // texts and lists of texts
	}
	var out bytes.Buffer
	if err := json.Indent(&out, compact, "", "  "); err != nil {
		panic(fmt.Sprintf("policy: %v", err))
	}
	return append(out.Bytes(), '\n')
}

// json appends the value. Keys keep their order, which a Go map would not.
func (s shown) json(b []byte) []byte {
	open, end := byte('{'), byte('}')
	switch {
	case s.kind == strict.Scalar && s.quote:
		return append(b, quoted(s.text)...)
	case s.kind == strict.Scalar:
		return append(b, s.text...)
	case s.kind == strict.List:
		open, end = '[', ']'
	}
	b = append(b, open)
	for i, item := range s.items {
		if i > 0 {
			b = append(b, ',')
		}
		if s.kind == strict.Mapping {
			b = append(append(b, quoted(item.key)...), ':')
		}
		b = item.json(b)
	}
	return append(b, end)
}

// sources notes where the values below a path came from.
func (s shown) sources(path string, from map[string]string) {
	if s.from != "" {
		from[path] = s.from
	}
	if s.kind != strict.Mapping {
		return
	}
	for _, item := range s.items {
		below := item.key
		if path != "" {
			below = entry(path, item.key)
		}
		item.sources(below, from)
	}
}

func quoted(text string) []byte {
	b, err := json.Marshal(text)
	if err != nil {
		panic(fmt.Sprintf("policy: %v", err))
	}
	return b
}

package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stanch-go/stanch/policy"
)

// A Setting is a value in force that changes. It is empty where there is none.
type Setting struct {
	Path     string
	Old, New string
}

// settings are the values that differ, in the order of the new policy, those
// that are gone at the end.
func settings(before, after *policy.Policy) (changed []Setting) {
	olds, news := inForce(before), inForce(after)
	olds, news = folded(olds, news), folded(news, olds)
	value := func(of []Setting) map[string]string {
		values := map[string]string{}
		for _, s := range of {
			values[s.Path] = s.New
		}
		return values
	}
	was, is := value(olds), value(news)
	for _, s := range news {
		if old := was[s.Path]; old != s.New {
			changed = append(changed, Setting{s.Path, old, s.New})
		}
	}
	for _, s := range olds {
		if _, stays := is[s.Path]; !stays {
			changed = append(changed, Setting{s.Path, s.New, ""})
		}
	}
	return changed
}

// folded makes one value of each section that is off in the other policy.
func folded(all, other []Setting) (out []Setting) {
	off := map[string]bool{}
	for _, s := range other {
		off[s.Path] = s.New == "off"
	}
	var section []Setting
	for i, s := range all {
		top := s.Path
		for !off[top] && strings.Contains(top, ".") {
			top = top[:strings.LastIndexByte(top, '.')]
		}
		if !off[top] || top == s.Path {
			out = append(out, s)
			continue
		}
		section = append(section, Setting{Path: strings.TrimPrefix(s.Path, top+"."), New: s.New})
		if i+1 == len(all) || !strings.HasPrefix(all[i+1].Path, top+".") {
			out, section = append(out, Setting{Path: top, New: flat(section)}), nil
		}
	}
	return out
}

// inForce lists all values of a policy with its defaults, by path.
func inForce(p *policy.Policy) (all []Setting) {
	var shown struct{ Policy json.RawMessage }
	if err := json.Unmarshal(p.JSON(), &shown); err != nil {
		panic(fmt.Sprintf("diff: %v", err)) // it is ours
	}
	d := json.NewDecoder(bytes.NewReader(shown.Policy))
	d.UseNumber()
	return flatten("", d)
}

// flatten reads the value that comes next and lists what is in it. Lists are one
// value.
func flatten(path string, d *json.Decoder) (all []Setting) {
	token, err := d.Token()
	if err != nil {
		panic(fmt.Sprintf("diff: %v", err))
	}
	switch token {
	case json.Delim('{'):
		for d.More() {
			key, _ := d.Token()
			below := fmt.Sprint(key)
			if path != "" {
				below = path + "." + below
			}
			all = append(all, flatten(below, d)...)
		}
		_, _ = d.Token()
		return all
	case json.Delim('['):
		list := "["
		for d.More() {
			if list != "[" {
				list += ", "
			}
			list += flat(flatten("", d))
		}
		_, _ = d.Token()
		return []Setting{{path, "", list + "]"}}
	}
	return []Setting{{path, "", fmt.Sprint(token)}}
}

// flat writes an item of a list on one line.
func flat(values []Setting) string {
	if len(values) == 1 && values[0].Path == "" {
		return values[0].New
	}
	var text strings.Builder
	text.WriteString("{")
	for i, v := range values {
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(v.Path + ": " + v.New)
	}
	return text.String() + "}"
}

package policy

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/stanch-go/stanch/internal/strict"
)

//go:generate go test -run TestDescriptions -update .

//go:embed descriptions.json
var descriptionsFile []byte

// descriptions are the comments of the fields that a file fills, by
// "package.Type.Field".
var descriptions = sync.OnceValue(func() map[string]string {
	var d map[string]string
	if err := json.Unmarshal(descriptionsFile, &d); err != nil {
		panic(fmt.Sprintf("policy: descriptions.json: %v", err))
	}
	return d
})

// Schema is the JSON Schema (2020-12) of a policy file, with which editors
// complete and check one while it is written. It knows every key, what a value
// looks like and what the keys mean; what one key means for another only reading
// the file tells.
func Schema() []byte {
	s := schema{types: map[string]any{}}
	root := s.structure(reflect.TypeFor[File]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["$id"] = "https://github.com/stanch-go/stanch/policy.schema.json"
	root["title"] = "Stanch policy"
	root["type"] = "object"
	root["$defs"] = s.types
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("policy: %v", err)) // maps, lists and texts
	}
	return append(out, '\n')
}

// A rule is a JSON Schema.
type rule = map[string]any

// schema collects the definitions of types.
type schema struct{ types rule }

// variable is a value that the environment gives.
const variable = `\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}`

// scalars are the rules of single values. Every one may be null, which is "not
// given", or come from a variable.
var scalars = map[string]rule{
	"duration": pattern(`^\+?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(h|m|s|ms|us|µs|μs|ns))+)$`, "a duration with its unit, such as 250ms, 3s or 1m30s"),
	"size":     pattern(`^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+) ?(B|KB|kB|MB|GB|TB|KiB|MiB|GiB|TiB)$`, "a size with its unit, such as 512B, 64KiB or 1MB"),
	"whole":    anyOf(rule{"type": []string{"integer", "null"}, "minimum": 0}),
	"number":   anyOf(rule{"type": []string{"number", "null"}, "minimum": 0}, rule{"type": "string", "pattern": `^\+?[0-9.eE+-]+%$`}),
	"boolean":  anyOf(rule{"type": []string{"boolean", "null"}}),
	"text":     {"type": []string{"string", "number", "boolean", "null"}},
	"off":      {"const": "off", "description": "taken away"},
}

func pattern(expression, description string) rule {
	r := anyOf(rule{"type": "null"}, rule{"type": "integer", "const": 0}, rule{"type": "string", "pattern": expression})
	r["description"] = description
	return r
}

func anyOf(rules ...rule) rule {
	return rule{"anyOf": append(rules, rule{"type": "string", "pattern": variable})}
}

// of is the rule of a value of a type.
func (s schema) of(t reflect.Type) rule {
	switch {
	case t.Kind() == reflect.Pointer:
		return s.of(t.Elem())
	case t == reflect.TypeFor[time.Duration]():
		return s.scalar("duration")
	case t == reflect.TypeFor[strict.Size]():
		return s.scalar("size")
	case t == reflect.TypeFor[OneOrMore]():
		return rule{"anyOf": []rule{s.scalar("text"), s.list(t)}}
	case isMap(t):
		return rule{"type": []string{"object", "null"}, "additionalProperties": s.of(t.Elem().Field(1).Type)}
	case slices.Contains(sections, t):
		return rule{"anyOf": []rule{s.scalar("off"), s.reference(t)}}
	}
	if values, ok := reflect.TypeAssert[interface{ Values() []string }](reflect.Zero(t)); ok {
		options := []any{nil}
		for _, v := range values.Values() {
			options = append(options, v)
		}
		return anyOf(rule{"enum": options})
	}
	switch t.Kind() {
	case reflect.Struct:
		return s.reference(t)
	case reflect.Slice:
		return s.list(t)
	case reflect.Bool:
		return s.scalar("boolean")
	case reflect.Int:
		return s.scalar("whole")
	case reflect.Float64:
		return s.scalar("number")
	}
	return s.scalar("text")
}

func (s schema) list(t reflect.Type) rule {
	return rule{"type": []string{"array", "null"}, "items": s.of(t.Elem())}
}

func (s schema) scalar(name string) rule {
	s.types[name] = scalars[name]
	return rule{"$ref": "#/$defs/" + name}
}

func (s schema) reference(t reflect.Type) rule {
	if _, ok := s.types[t.String()]; !ok {
		s.types[t.String()] = nil // it is under way
		s.types[t.String()] = s.structure(t)
	}
	return rule{"$ref": "#/$defs/" + t.String()}
}

func (s schema) structure(t reflect.Type) rule {
	properties, required := rule{}, []string{}
	for _, k := range keysOf(t) {
		p := s.of(k.Type)
		if k.Name == "Version" {
			p = rule{"const": Version}
		}
		if text := describe(t, k); text != "" {
			p["description"] = text
		}
		properties[k.name] = p
		if k.Tag.Get("strict") == "required" {
			required = append(required, k.name)
		}
	}
	return rule{"type": []string{"object", "null"}, "properties": properties, "required": required, "additionalProperties": false}
}

// describe returns what is said of a key of a struct, or of one inlined in it.
func describe(t reflect.Type, k key) string {
	for _, i := range k.Index[:len(k.Index)-1] {
		t = t.Field(i).Type
	}
	return descriptions()[t.String()+"."+k.Name]
}

package policy

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/internal/source"
)

var fileType = reflect.TypeFor[File]()

// TestDescriptions keeps descriptions.json as the comments in the code.
func TestDescriptions(t *testing.T) {
	want := map[string]string{}
	for _, of := range structs(fileType) {
		fields := source.Comments(t, "..", of)
		for _, k := range keysOf(of) {
			if len(k.Index) > 1 {
				continue // it belongs to the inlined struct
			}
			text := fileWords(fields[k.Name], k.Name, of)
			if text == "" {
				t.Errorf("%v.%s has no comment: say its meaning, unit, default and range", of, k.Name)
			}
			want[of.String()+"."+k.Name] = text
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(want); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "descriptions.json", b.String()) // go generate ./policy rewrites it
	descriptionsFile = b.Bytes()
}

// structs are all that a file fills below a type, that first, each once.
func structs(from reflect.Type) []reflect.Type {
	seen := map[reflect.Type]bool{}
	var all []reflect.Type
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		switch {
		case t.Kind() == reflect.Pointer, t.Kind() == reflect.Slice && !isMap(t):
			walk(t.Elem())
		case isMap(t):
			walk(t.Elem().Field(1).Type)
		case t.Kind() == reflect.Struct && strings.HasPrefix(t.PkgPath(), source.Module) && !seen[t]:
			seen[t] = true
			all = append(all, t)
			for f := range t.Fields() {
				walk(f.Type)
			}
		}
	}
	walk(from)
	return all
}

var qualified = regexp.MustCompile(`\b[A-Z]\w+\.[A-Z]\w+\b`)

var links = regexp.MustCompile(`\[(?:Config\.)?([A-Za-z.]+)\]`)

// What follows the name of a field, as in "Rate is the cost" and "Route says".
var (
	toBe = regexp.MustCompile(`^( is | are |: )`)
	verb = regexp.MustCompile(`^ [a-z]{3,} `)
)

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// fileWords makes a Go comment one about a file: its keys have other names, and
// none needs to begin with its own.
func fileWords(text, own string, of reflect.Type) string {
	text = strings.Join(strings.Fields(text), " ")
	// A table has the key before the text: the sentence goes on from there.
	if rest, ok := strings.CutPrefix(text, own); ok {
		if to := toBe.FindString(rest); to != "" {
			text = capital(rest[len(to):])
		} else if verb.MatchString(rest) {
			text = capital(rest[1:])
		}
	}
	text = links.ReplaceAllString(text, "$1")
	text = strings.ReplaceAll(text, "DefaultMax, one minute", "1m")
	text = qualified.ReplaceAllStringFunc(text, strings.ToLower) // of another section: timeout.attempt
	for _, k := range keysOf(of) {
		if k.Name == "Default" {
			continue // what every sentence about a default begins with
		}
		text = regexp.MustCompile(`\b`+k.Name+`\b`).ReplaceAllString(text, k.name)
	}
	return text
}

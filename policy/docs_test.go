package policy

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/internal/strict"
)

const page = "../docs/policy.md"

var marked = regexp.MustCompile(`(?s)<!-- keys (.+?) -->\n(.*?)<!-- end -->\n`)

// TestDocsKeys keeps the tables of the page as the comments of the code have
// them; -update rewrites them.
func TestDocsKeys(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]string{}
	for _, of := range withKeys(fileType) {
		tables[of.String()] = table(of)
	}
	seen := map[string]bool{}
	want := marked.ReplaceAllStringFunc(string(text), func(block string) string {
		name := marked.FindStringSubmatch(block)[1]
		rows, ok := tables[name]
		if !ok || seen[name] {
			t.Errorf("there are no keys of %s, or it has two tables", name)
		}
		seen[name] = true
		return "<!-- keys " + name + " -->\n" + rows + "<!-- end -->\n"
	})
	for name := range tables {
		if !seen[name] {
			t.Errorf("the page has no table of %s", name)
		}
	}
	golden.Check(t, page, want)
}

// withKeys are a struct and all below it, those without a key left out: what
// they have is in the tables of those around them.
func withKeys(of reflect.Type) (all []reflect.Type) {
	if len(keysOf(of)) > 0 {
		all = append(all, of)
	}
	for _, k := range keysOf(of) {
		t := k.Type
		if t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice && !isMap(t) {
			t = t.Elem()
		}
		if isMap(t) {
			t = t.Elem().Field(1).Type
		}
		if t.Kind() == reflect.Struct {
			for _, below := range withKeys(t) {
				if !slices.Contains(all, below) {
					all = append(all, below)
				}
			}
		}
	}
	return all
}

func table(of reflect.Type) string {
	var b strings.Builder
	b.WriteString("\n| Key | Value | Meaning |\n|---|---|---|\n")
	for _, k := range keysOf(of) {
		text := describe(of, k)
		if k.Tag.Get("strict") == "required" {
			text += " Required."
		}
		text = strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(text)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", k.name, kind(k.Type), text)
	}
	return b.String() + "\n"
}

// kind says what is written as a value.
func kind(of reflect.Type) string {
	if v, ok := reflect.TypeAssert[interface{ Values() []string }](reflect.Zero(of)); ok {
		return "`" + strings.Join(v.Values(), "`, `") + "`"
	}
	switch {
	case of == reflect.TypeFor[time.Duration]():
		return "duration"
	case of == reflect.TypeFor[strict.Size]():
		return "size"
	case of == reflect.TypeFor[OneOrMore]():
		return "text, or list of texts"
	case isMap(of):
		return "by name: " + kind(of.Elem().Field(1).Type)
	case slices.Contains(sections, of):
		return "keys, or `off`"
	}
	switch of.Kind() {
	case reflect.Pointer:
		return kind(of.Elem())
	case reflect.Slice:
		return "list of " + kind(of.Elem())
	case reflect.Struct:
		return "keys"
	case reflect.Bool:
		return "`true`, `false`"
	case reflect.String:
		return "text"
	case reflect.Int:
		return "whole number"
	}
	return "number"
}

// TestDocsPolicies reads the policies in the documents.
func TestDocsPolicies(t *testing.T) {
	found := blocks(t, page)
	for name, text := range found {
		p, err := Parse(name, text, WithEnv(func(string) (string, bool) { return "", false }),
			WithFiles(func(string) ([]byte, error) { return []byte("version: 1\n"), nil }))
		if err != nil {
			t.Errorf("%v in\n%s", err, text)
			continue
		}
		if _, err := p.Build(nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(found) < 3 {
		t.Errorf("only %d policies were found: this rule sees nothing", len(found))
	}
}

package main

import (
	"fmt"
	"go/ast"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/internal/source"
	"github.com/stanch-go/stanch/sim"
)

const (
	root = "../.."
	docs = root + "/docs/sim.md"
)

// documented are the structs whose tables are in the page, by their marker.
var documented = map[string]reflect.Type{
	"sim.Scenario":   reflect.TypeFor[sim.Scenario](),
	"sim.Variant":    reflect.TypeFor[sim.Variant](),
	"sim.Model":      reflect.TypeFor[sim.Model](),
	"sim.Interval":   reflect.TypeFor[sim.Interval](),
	"sim.Windows":    reflect.TypeFor[sim.Windows](),
	"sim.Service":    reflect.TypeFor[sim.Service](),
	"sim.Route":      reflect.TypeFor[sim.Route](),
	"sim.Dependency": reflect.TypeFor[sim.Dependency](),
	"sim.Phase":      reflect.TypeFor[sim.Phase](),
	"sim.Latency":    reflect.TypeFor[sim.Latency](),
	"sim.Load":       reflect.TypeFor[sim.Load](),
	"sim.Guard":      reflect.TypeFor[sim.Guard](),

	"sim.Tenants":     reflect.TypeFor[sim.Tenants](),
	"sim.Spread":      reflect.TypeFor[sim.Spread](),
	"sim.FixedWindow": reflect.TypeFor[sim.FixedWindow](),

	"json sim.Result":           reflect.TypeFor[sim.Result](),
	"json sim.VariantResult":    reflect.TypeFor[sim.VariantResult](),
	"json sim.Metrics":          reflect.TypeFor[sim.Metrics](),
	"json sim.Quantiles":        reflect.TypeFor[sim.Quantiles](),
	"json sim.DependencyResult": reflect.TypeFor[sim.DependencyResult](),
	"json sim.WindowsResult":    reflect.TypeFor[sim.WindowsResult](),
	"json sim.ServiceResult":    reflect.TypeFor[sim.ServiceResult](),
	"json sim.QuotaResult":      reflect.TypeFor[sim.QuotaResult](),
	"json sim.PriorityResult":   reflect.TypeFor[sim.PriorityResult](),
	"json sim.Transition":       reflect.TypeFor[sim.Transition](),
	"json sim.Expectation":      reflect.TypeFor[sim.Expectation](),
}

var marked = regexp.MustCompile(`(?s)<!-- keys (.+?) -->\n(.*?)<!-- end -->\n`)

// TestDocsKeys keeps the tables of keys as the comments of the code have them.
func TestDocsKeys(t *testing.T) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	want := marked.ReplaceAllStringFunc(string(text), func(block string) string {
		name := marked.FindStringSubmatch(block)[1]
		of, ok := documented[name]
		if !ok {
			t.Errorf("there are no keys %q", name)
			return block
		}
		seen[name] = true
		tag := "yaml"
		if strings.HasPrefix(name, "json ") {
			tag = "json"
		}
		return "<!-- keys " + name + " -->\n" + keyTable(t, of, tag) + "<!-- end -->\n"
	})
	for name := range documented {
		if !seen[name] {
			t.Errorf("the page has no table of %s", name)
		}
	}
	golden.Check(t, docs, want)
	if strings.Contains(want, "| |\n") {
		t.Error("a key has no explanation")
	}
}

// TestDocsComplete walks from what a file and a result are to every key in
// them: all have a row.
func TestDocsComplete(t *testing.T) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	for tag, from := range map[string][]reflect.Type{
		"yaml": {reflect.TypeFor[sim.Scenario](), reflect.TypeFor[sim.Variant](), reflect.TypeFor[sim.Model]()},
		"json": {reflect.TypeFor[sim.Result]()},
	} {
		seen := map[reflect.Type]bool{}
		for _, of := range from {
			walk(of, tag, seen, func(of reflect.Type, key string) {
				if !regexp.MustCompile("(?m)^\\|[^|]*`" + key + "`").Match(text) {
					t.Errorf("%s key %s of %s has no row", tag, key, of)
				}
			})
		}
		if len(seen) < 8 {
			t.Errorf("the walk over %s saw only %d structs", tag, len(seen))
		}
	}
}

// walk tells every tagged key of a struct and of those below it.
func walk(of reflect.Type, tag string, seen map[reflect.Type]bool, tell func(reflect.Type, string)) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		walk(of.Elem(), tag, seen, tell)
		return
	case reflect.Struct:
	default:
		return
	}
	if seen[of] || !strings.HasPrefix(of.PkgPath(), source.Module) || of.PkgPath() == source.Module+"/policy" {
		return // what a policy file has is in the page on policies
	}
	seen[of] = true
	for f := range of.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get(tag), ",")
		if key == "-" || !f.IsExported() {
			continue
		}
		if key != "" {
			tell(of, key)
		}
		walk(f.Type, tag, seen, tell)
	}
}

// keyTable is a table of the keys of a struct, explained by its comments. A
// field without a comment shares the row of the one before it.
func keyTable(t *testing.T, of reflect.Type, tag string) string {
	comments := source.Comments(t, root, of)
	var names []string // Go and file names in turn, to put these for those
	for f := range of.Fields() {
		if key, _, _ := strings.Cut(f.Tag.Get(tag), ","); key != "" && key != "-" {
			names = append(names, f.Name, key)
		}
	}
	type row struct{ keys, kinds, text string }
	var rows []row
	for f := range of.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get(tag), ",")
		if key == "" || key == "-" {
			continue
		}
		text := comments[f.Name]
		if n := len(rows); text == "" && n > 0 {
			rows[n-1].keys += ", `" + key + "`"
			if k := kind(t, f.Type); !strings.Contains(rows[n-1].kinds, k) {
				rows[n-1].kinds += ", " + k
			}
			continue
		}
		if f.Tag.Get("strict") == "required" {
			text += " Required."
		}
		rows = append(rows, row{"`" + key + "`", kind(t, f.Type), fileWords(text, f.Name, names)})
	}
	var b strings.Builder
	b.WriteString("\n| Key | Value | Meaning |\n|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.keys, r.kinds, r.text)
	}
	b.WriteString("\n")
	return b.String()
}

// fileWords makes a Go comment one about a file: its keys have other names, and
// a row needs not repeat its own.
func fileWords(text, own string, names []string) string {
	text = strings.TrimSpace(strings.Join(strings.Fields(text), " "))
	for _, verb := range []string{" is ", " are ", ": "} {
		if rest, ok := strings.CutPrefix(text, own+verb); ok {
			text = strings.ToUpper(rest[:1]) + rest[1:]
			break
		}
	}
	for i := 0; i < len(names); i += 2 {
		text = regexp.MustCompile(`\b`+names[i]+`\b`).ReplaceAllString(text, "`"+names[i+1]+"`")
	}
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "[Config].", "").Replace(text)
}

// kind says what is written as a value.
func kind(t *testing.T, of reflect.Type) string {
	switch of {
	case reflect.TypeFor[time.Duration]():
		return "duration"
	case reflect.TypeFor[sim.Queue]():
		return "number or `unbounded`"
	case reflect.TypeFor[sim.Latency]():
		return "latency"
	case reflect.TypeFor[sim.Shares](), reflect.TypeFor[sim.Tenants]():
		return "text, or mapping"
	case reflect.TypeFor[sim.Spread]():
		return "`even`, or mapping"
	case reflect.TypeFor[sim.Expected]():
		return "expectation"
	}
	if strings.HasPrefix(of.Name(), "Map[") {
		value, _ := of.Elem().FieldByName("Value")
		return "mapping of names to " + kind(t, value.Type)
	}
	switch of.Kind() {
	case reflect.Pointer:
		return kind(t, of.Elem())
	case reflect.Slice:
		return "list of " + kind(t, of.Elem())
	case reflect.Map:
		return "mapping to " + kind(t, of.Elem())
	case reflect.Struct:
		return "mapping"
	case reflect.Bool:
		return "`true`, `false`"
	case reflect.String:
		if values := valuesOf(t, of); len(values) > 0 {
			return strings.Join(values, ", ")
		}
		return "text"
	}
	return "number"
}

// valuesOf returns the constants of a string type.
func valuesOf(t *testing.T, of reflect.Type) []string {
	var values []string
	source.Inspect(t, root, of, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == of.Name() {
			for _, v := range spec.Values {
				if s, ok := v.(*ast.BasicLit); ok && s.Value != `""` {
					values = append(values, "`"+strings.Trim(s.Value, `"`)+"`")
				}
			}
		}
		return true
	})
	return values
}

// TestDocsScenarios reads every scenario in the page.
func TestDocsScenarios(t *testing.T) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1) {
		if !strings.HasPrefix(string(block[1]), "scenario:") {
			continue
		}
		read++
		s, err := sim.Parse("docs/sim.md", block[1])
		if err != nil {
			t.Errorf("%v in\n%s", err, block[1])
			continue
		}
		r, err := s.Play(t.Context(), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range r.Expectations {
			if !e.Holds {
				t.Errorf("%s: %s is %v", s.Name, e.Text, e.Figure)
			}
		}
	}
	if read == 0 {
		t.Error("no scenario was found")
	}
	if !strings.Contains(string(text), exitHelp[strings.Index(exitHelp, "\n")+1:]) {
		t.Error("the exit codes are not those of --help")
	}
}

package policy

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/stanch-go/stanch/internal/strict"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("policy.schema.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("policy.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plainly is a tree as a validator sees it: single values typed by YAML 1.2.
func plainly(n *strict.Node) any {
	switch n.Kind {
	case strict.List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = plainly(item)
		}
		return list
	case strict.Mapping:
		m := map[string]any{}
		for _, p := range n.Pairs {
			m[p.Key.Value] = plainly(p.Value)
		}
		return m
	case strict.Scalar:
		if n.Quoted {
			return n.Value
		}
		if n.Value == "true" || n.Value == "false" {
			return n.Value == "true"
		}
		if i, err := strconv.Atoi(n.Value); err == nil {
			return i
		}
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && strings.Trim(n.Value, "0123456789+-.eE") == "" {
			return f
		}
		return n.Value
	}
	return nil
}

func against(t *testing.T, s *jsonschema.Schema, file string, text []byte) error {
	t.Helper()
	root, err := strict.Parse(file, text)
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(plainly(root))
}

// What is read without a fault is in order by the schema, as it is and as it is
// shown.
func TestSchemaAcceptsPolicies(t *testing.T) {
	s := compiled(t)
	texts := map[string][]byte{"starter.yaml": Starter}
	for _, kind := range []string{"good", "good/parts"} {
		for _, file := range testdata(t, kind) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = text
			if p, err := load(file); err == nil {
				texts[file+" as YAML"] = p.YAML()
				texts[file+" as JSON"] = p.show().json(nil)
			}
		}
	}
	maps.Copy(texts, blocks(t, "../docs/policy.md", "../README.md"))
	for name, text := range texts {
		if err := against(t, s, name, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// blocks are the policies in documents.
func blocks(t *testing.T, documents ...string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	for _, document := range documents {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1) {
			if bytes.HasPrefix(b[1], []byte("version:")) {
				found[filepath.Base(document)+" "+strconv.Itoa(i)] = b[1]
			}
		}
	}
	return found
}

// The schema and the reader agree on what a single value may be, wherever the
// value stands alone.
func TestSchemaAgreesWithReader(t *testing.T) {
	s := compiled(t)
	for _, path := range []string{
		"service: {name: %}", "service: {deadline: %}", "service: {workers: %}", "service: {rates: {requests: %}}", "service: %",
		"dependencies: {a: {class: %, p99: 1ms}}", "dependencies: {a: {url: %}}", "dependencies: {a: {breaker: {dark: %, window: 1s}}}",
		"dependencies: {a: {retry: %}}", "dependencies: {a: {breaker: {window: 1s, trickle: %}}}", "dependencies: {a: {fallback: {last_good: {max_bytes: %}}}}",
		"dependencies: {a: {budget: {kind: %}}}", "dependencies: %", "include: %", "allow: %", "inbound: %", "inbound: {deadline: %}", "inbound: {limits: %}", "inbound: {limits: {a: %}}", "inbound: {limits: {a: {rate: %}}}", "inbound: {limits: {a: {by: %}}}",
		"inbound: {quotas: {a: {mode: %}}}", "inbound: {quotas: {a: {store: %}}}", "inbound: {priorities: {default: %}}", "inbound: {priorities: {routes: {/a: %}}}", "inbound: {priorities: {routes: {%: critical}}}",
		"inbound: {concurrency: {limit: %}}", "inbound: {concurrency: {adaptive: %}}", "inbound: {identity: {tenant: %}}", "pools: {p: %}",
		"dependencies: {a: {%: 1}}", "%: 1",
	} {
		for _, value := range []string{
			"1", "0", "-1", "1.5", "30%", "1s", "1m30s", "1 s", "1x", "1KiB", "1.5 MB", "true", "false", "yes", "off", "null", "[]", "{}", "[a]", "{a: 1}",
			"standard", "optional_read", "earning", "text", `"1"`, `"true"`, `"1s"`, "http://a", `"${SEVEN}"`, `"${UNSET:-1s}"`, `"${UNSET:-standard}"`, "class", "timeout", "1e3", ".5", "+1",
		} {
			text := "version: 1\n" + strings.Replace(path, "%", value, 1) + "\n"
			root, err := strict.Parse("p", []byte(text))
			if err != nil {
				continue // such as the key {}
			}
			invalid := s.Validate(plainly(root))
			_, err = Parse("p", []byte(text), WithEnv(environment), WithFiles(func(string) ([]byte, error) { return []byte("version: 1\n"), nil }))
			if err == nil && invalid != nil {
				t.Errorf("%s is read, and the schema says %v", text, invalid)
			}
		}
	}
}

// What shows in one value or one key alone, the schema tells before the file is
// read.
func TestSchemaTellsFaults(t *testing.T) {
	s := compiled(t)
	for _, text := range []string{
		"service: {}", "version: 2", "version: 1\nservce: {}", "- version: 1",
		"version: 1\nservice: {deadline: 1500}", "version: 1\nservice: {deadline: soon}", "version: 1\nservice: {workers: -1}", "version: 1\nservice: {workers: '3'}",
		"version: 1\ndependencies: {a: {clas: standard}}", "version: 1\ndependencies: {a: {class: standrad}}", "version: 1\ndependencies: {a: {retry: on}}",
		"version: 1\ndependencies: {a: {timeout: {atempt: 1s}}}", "version: 1\ndependencies: {a: {fallback: {last_good: off}}}", "version: 1\ndependencies: {a: 3s}",
		"version: 1\npools: {p: {}}", "version: 1\nallow: [{check: x}]", "version: 1\ninbound: {x: 1}", "version: 1\ninbound: {limits: {a: {by: tennant}}}", "version: 1\ninbound: {quotas: {a: {mode: off}}}",
		"version: 1\ninbound: {priorities: {routes: {/a: high}}}", "version: 1\ninbound: {concurrency: {adaptive: {mni: 3}}}", "version: 1\ninbound: {limits: [a]}", "version: 1\ninclude: x",
		"version: 1\ndependencies: {a: {fallback: {last_good: {max_bytes: 3}}}}", "version: 1\ndependencies: {a: {breaker: {dark: yes}}}",
	} {
		if err := against(t, s, "p", []byte(text)); err == nil {
			t.Errorf("the schema has nothing against\n%s", text)
		}
		if _, err := Parse("p", []byte(text)); err == nil {
			t.Errorf("the reader has nothing against\n%s", text)
		}
	}
}

func TestSchemaDescribesEverything(t *testing.T) {
	for _, of := range structs(fileType) {
		for _, k := range keysOf(of) {
			if describe(of, k) == "" {
				t.Errorf("%v.%s has no description", of, k.Name)
			}
		}
	}
}

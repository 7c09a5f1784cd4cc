package house

import (
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const dependencies = "testdata/dependencies.golden"

// TestDependencies keeps the list of all modules that reach the command, so that
// a new one is seen in review, and with it the reason in
// docs/decisions/0003-dependencies.md.
func TestDependencies(t *testing.T) {
	if _, err := os.Stat(root() + "/cmd/stanch"); err != nil {
		t.Fatal("no command, so nothing to check: ", err)
	}
	got := "In the command:\n" + modules(t, "./cmd/stanch") + "\nIn the library:\n" + modules(t, libraryPackages(t)...)
	if *update {
		if err := os.WriteFile(dependencies, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(dependencies)
	if err != nil {
		t.Fatal(err, "\nwrite it: go test ./internal/house -update")
	}
	if got != string(want) {
		t.Errorf("the dependencies are no longer those of %s:%s\nWhere that is meant: go test ./internal/house -update, and say why in docs/decisions/0003-dependencies.md",
			dependencies, changed(string(want), got))
	}
	decision := read(t, "docs/decisions/0003-dependencies.md")
	for module := range strings.FieldsSeq(got) {
		if strings.Contains(module, ".") && strings.Contains(module, "/") && !strings.Contains(decision, module) {
			t.Errorf("docs/decisions/0003-dependencies.md does not mention %s: say there what needs it", module)
		}
	}
}

// changed lists the lines that only one of the texts has.
func changed(old, now string) string {
	var s strings.Builder
	for _, side := range []struct{ mark, from, other string }{{"gone ", old, now}, {"new  ", now, old}} {
		for line := range strings.Lines(side.from) {
			if !strings.Contains(side.other, line) {
				s.WriteString("\n" + side.mark + strings.TrimSpace(line))
			}
		}
	}
	return s.String()
}

func libraryPackages(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, p := range packages(t) {
		if slices.Contains(library, p.unit()) {
			all = append(all, p.ImportPath)
		}
	}
	return all
}

// modules lists the modules that the packages are built from, other than this
// one, on the one platform that makes the list the same everywhere.
func modules(t *testing.T, packages ...string) string {
	t.Helper()
	c := exec.Command("go", append([]string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}"}, packages...)...)
	c.Dir = root()
	c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := c.Output()
	if err != nil {
		t.Fatal("go list -deps: ", err)
	}
	lines := slices.DeleteFunc(strings.Split(string(out), "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if len(lines) == 0 {
		return "nothing\n"
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestGoMod(t *testing.T) {
	text := read(t, "go.mod")
	for line := range strings.Lines(text) {
		switch word, rest, _ := strings.Cut(strings.TrimSpace(line), " "); word {
		case "replace":
			t.Error("go.mod replaces a module: then `go install` of the command does not work")
		case "toolchain":
			t.Error("go.mod names a toolchain: then machines that have an older one have to fetch it")
		case "go":
			if rest != "1.26.0" {
				t.Errorf("go.mod asks for Go %s: 1.26.0 is what users are promised. Find which dependency asks for more (go mod graph | grep ' go@') and take an older version of it", rest)
			}
		}
	}
}

package house

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/lint"
	"github.com/stanch-go/stanch/policy"
	"github.com/stanch-go/stanch/sim"
)

// TestGoInDocumentsCompiles type-checks every block of Go that is a whole file,
// with the module and what it depends on, and parses every other one.
func TestGoInDocumentsCompiles(t *testing.T) {
	var whole []*ast.File
	for _, f := range files(t, ".md") {
		fenced, _ := blocks(read(t, f))
		for _, b := range fenced {
			if b.language != "go" {
				continue
			}
			// The empty lines make positions those of the document.
			text := strings.Repeat("\n", b.line-1) + b.text
			file, err := parser.ParseFile(fset, f, text, parser.SkipObjectResolution)
			switch {
			case err == nil:
				whole = append(whole, file)
			case strings.HasPrefix(strings.TrimSpace(b.text), "package "):
				t.Errorf("%s:%d: this Go does not parse: %v", f, b.line, err)
			default:
				if err := parseSnippet(b); err != nil {
					t.Errorf("%s:%d: this Go is neither declarations nor statements: %v\nLeave things out with a comment (// ...), not with dots", f, b.line, err)
				}
			}
		}
	}
	if len(whole) == 0 {
		t.Fatal("no block of Go is a whole file: this rule sees nothing")
	}
	exports := exportData(t, whole)
	for _, file := range whole {
		conf := types.Config{
			Importer:  importer.ForCompiler(fset, "gc", exports.open),
			GoVersion: "go1.26",
			Error: func(err error) {
				var e types.Error
				if errors.As(err, &e) {
					t.Errorf("%s: %s", fset.Position(e.Pos), e.Msg)
				} else {
					t.Error(err)
				}
			},
		}
		_, _ = conf.Check(file.Name.Name, fset, []*ast.File{file}, nil) // told to Error
	}
}

// parseSnippet accepts imports and declarations, or statements.
func parseSnippet(b block) error {
	_, declarations := parser.ParseFile(token.NewFileSet(), "", "package p\n"+b.text, parser.SkipObjectResolution)
	if declarations == nil {
		return nil
	}
	_, statements := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc _() {\n"+b.text+"\n}", parser.SkipObjectResolution)
	if statements == nil {
		return nil
	}
	return errors.Join(declarations, statements)
}

// exportFiles maps an import path to the file that has its compiled types.
type exportFiles map[string]string

func (e exportFiles) open(path string) (io.ReadCloser, error) {
	if e[path] == "" {
		return nil, fmt.Errorf("%s is no package of this module nor one that it requires", path)
	}
	return os.Open(e[path])
}

// exportData lets go compile all that the files import, and all that those do.
func exportData(t *testing.T, files []*ast.File) exportFiles {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}
	for _, f := range files {
		for _, i := range f.Imports {
			if path := strings.Trim(i.Path.Value, `"`); path != "unsafe" && !slices.Contains(args, path) {
				args = append(args, path)
			}
		}
	}
	c := exec.Command("go", args...)
	c.Dir = root()
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("go list -export: %v", err)
	}
	exports := exportFiles{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[path] = file
	}
	return exports
}

// TestScenariosInDocumentsParse reads every block of YAML that is a scenario.
func TestScenariosInDocumentsParse(t *testing.T) {
	for _, f := range files(t, ".md") {
		fenced, _ := blocks(read(t, f))
		for _, b := range fenced {
			if b.language != "yaml" || !strings.HasPrefix(b.text, "scenario:") {
				continue
			}
			if _, err := sim.Parse(f, []byte(strings.Repeat("\n", b.line-1)+b.text)); err != nil {
				t.Errorf("%s:%d: this scenario has faults:\n%v", f, b.line, err)
			}
		}
	}
}

// TestPoliciesInDocumentsParse reads every block of YAML that is a policy. What
// it includes is taken as empty, and no variable is set. That of the README is
// what people begin with: no check may complain of it.
func TestPoliciesInDocumentsParse(t *testing.T) {
	unset := policy.WithEnv(func(string) (string, bool) { return "", false })
	empty := policy.WithFiles(func(string) ([]byte, error) { return []byte("version: 1\n"), nil })
	checked := 0
	for _, f := range files(t, ".md") {
		fenced, _ := blocks(read(t, f))
		for _, b := range fenced {
			if b.language != "yaml" || !strings.HasPrefix(b.text, "version:") {
				continue
			}
			p, err := policy.Parse(f, []byte(strings.Repeat("\n", b.line-1)+b.text), unset, empty)
			if err != nil {
				t.Errorf("%s:%d: this policy has faults:\n%v", f, b.line, err)
				continue
			}
			if f != "README.md" {
				continue
			}
			checked++
			for _, found := range lint.Check(p).Findings {
				t.Error(found)
			}
		}
	}
	if checked == 0 {
		t.Error("the README has no policy")
	}
}

// Package source knows of types what reflection does not: what their source says.
// It is for tests that keep documents as the code is.
package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Module is the path of this module.
const Module = "github.com/stanch-go/stanch"

// Comments returns the comments of the fields of a struct, by the fields' names.
// Root is the directory of the module, relative to the test.
func Comments(t testing.TB, root string, of reflect.Type) map[string]string {
	t.Helper()
	comments := map[string]string{}
	Inspect(t, root, of, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != of.Name() {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					comments[name.Name] = f.Doc.Text() + f.Comment.Text()
				}
			}
		}
		return false
	})
	return comments
}

// Inspect walks over the files of the package in which a type is declared, tests
// left out. Of types of other modules it sees nothing.
func Inspect(t testing.TB, root string, of reflect.Type, visit func(ast.Node) bool) {
	t.Helper()
	inModule, ok := strings.CutPrefix(of.PkgPath(), Module)
	if !ok {
		return
	}
	files, err := filepath.Glob(filepath.Join(root, inModule, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, visit)
	}
}

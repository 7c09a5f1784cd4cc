package house

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	for _, f := range files(t, ".go") {
		text := read(t, f)
		formatted, err := format.Source([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", f, err)
		} else if !bytes.Equal(formatted, []byte(text)) {
			t.Errorf("%s is not formatted: gofmt -w %s", f, f)
		}
	}
}

const maxLines = 400

func TestFilesAreShort(t *testing.T) {
	used := map[string]bool{}
	for _, f := range files(t, ".go") {
		text := read(t, f)
		lines := strings.Count(text, "\n")
		if lines <= maxLines || strings.HasSuffix(f, "_test.go") || ast.IsGenerated(parse(t, f)) {
			continue
		}
		used[f] = true
		if longFiles[f] == "" {
			t.Errorf("%s has %d lines, more than %d: which second idea is in it? Give that a file of its own", f, lines, maxLines)
		}
	}
	longFiles.check(t, used)
}

// open matches the marks of unfinished work, taken apart so that this file does
// not match.
var open = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX)\b`)

// foreign matches directories that only one machine has.
var foreign = regexp.MustCompile(`(^|[\s"'(=` + "`" + `])/(home|Users|root|work)/\w`)

func TestNothingUnfinishedAndNothingLocal(t *testing.T) {
	for _, f := range files(t, ".go", ".md", ".yaml", ".yml", ".txtar", ".golden", ".txt", ".html", ".mod", "Makefile", ".ci/run", "LICENSE", "NOTICE") {
		number := 0
		for line := range strings.Lines(read(t, f)) {
			number++
			if m := open.FindString(line); m != "" {
				t.Errorf("%s:%d: %s: do it, or file an issue and take the mark out", f, number, m)
			}
			if m := foreign.FindString(line); m != "" {
				t.Errorf("%s:%d: %s…: a path that only one machine has: make it relative", f, number, strings.TrimSpace(m))
			}
		}
	}
}

// TestTimeIsVirtual finds tests that really sleep. A test that waits for
// something in real time is slow where it passes and wrong where the machine is
// busy; inside synctest.Test time is virtual and a sleep is exact.
func TestTimeIsVirtual(t *testing.T) {
	used := map[string]bool{}
	for _, f := range files(t, "_test.go") {
		file := parse(t, f)
		for _, c := range callsOutside(file, "synctest", "Test", func(s *ast.SelectorExpr) bool { return isPackage(s, "time") && s.Sel.Name == "Sleep" }) {
			used[f] = true
			if sleepers[f] == "" {
				t.Errorf("%s: time.Sleep outside synctest.Test: wait for the event itself, or run the test in a bubble. If the function is only called in one, write that beside the file's name in sleepers", fset.Position(c.Pos()))
			}
		}
	}
	sleepers.check(t, used)
}

func TestNothingIsSkipped(t *testing.T) {
	used := map[string]bool{}
	for _, f := range files(t, "_test.go") {
		for _, c := range callsOutside(parse(t, f), "", "", func(s *ast.SelectorExpr) bool {
			x, ok := s.X.(*ast.Ident)
			return ok && slices.Contains([]string{"t", "b", "f", "tb"}, x.Name) && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name)
		}) {
			used[f] = true
			if skippers[f] == "" {
				t.Errorf("%s: a test that is skipped tells nothing. Make it run everywhere; in a fuzz target, turn every input into a valid one or return", fset.Position(c.Pos()))
			}
		}
	}
	skippers.check(t, used)
}

var fset = token.NewFileSet()

func parse(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(fset, path, read(t, path), parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func isPackage(s *ast.SelectorExpr, name string) bool {
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == name
}

// callsOutside returns the calls that match and are not written inside the
// arguments of a call of pkg.name.
func callsOutside(file *ast.File, pkg, name string, match func(*ast.SelectorExpr) bool) []*ast.CallExpr {
	var found []*ast.CallExpr
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		s, ok := call.Fun.(*ast.SelectorExpr)
		switch {
		case !ok:
			return true
		case isPackage(s, pkg) && s.Sel.Name == name:
			return false
		case match(s):
			found = append(found, call)
		}
		return true
	})
	return found
}

package house

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
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
		for _, c := range calls(parse(t, f), inBubble, isSleep) {
			used[f] = true
			if sleepers[f] == "" {
				t.Errorf("%s: time.Sleep outside synctest.Test: wait for the event itself, or run the test in a bubble. If the function is only called in one, write that beside the file's name in sleepers", fset.Position(c.Pos()))
			}
		}
	}
	sleepers.check(t, used)
}

// TestNothingIsSkipped finds tests that are skipped other than by -short, which
// is for people in a hurry and never used by the gate.
func TestNothingIsSkipped(t *testing.T) {
	used := map[string]bool{}
	for _, f := range files(t, "_test.go") {
		for _, c := range calls(parse(t, f), whenShort, isSkip) {
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

// calls returns the calls that match, but not those within a node that is
// pruned.
func calls(file *ast.File, prune func(ast.Node) bool, match func(*ast.SelectorExpr) bool) []*ast.CallExpr {
	var found []*ast.CallExpr
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil || prune(n) {
			return false
		}
		if s := called(n); s != nil && match(s) {
			found = append(found, n.(*ast.CallExpr))
		}
		return true
	})
	return found
}

// called returns what a call of the form x.f(...) calls, nil for other nodes.
func called(n ast.Node) *ast.SelectorExpr {
	if call, ok := n.(*ast.CallExpr); ok {
		s, _ := call.Fun.(*ast.SelectorExpr)
		return s
	}
	return nil
}

func is(s *ast.SelectorExpr, x, name string) bool {
	id, ok := s.X.(*ast.Ident)
	return ok && id.Name == x && s.Sel.Name == name
}

func isSleep(s *ast.SelectorExpr) bool { return is(s, "time", "Sleep") }

func isSkip(s *ast.SelectorExpr) bool {
	for _, x := range []string{"t", "b", "f", "tb"} {
		if is(s, x, "Skip") || is(s, x, "Skipf") || is(s, x, "SkipNow") {
			return true
		}
	}
	return false
}

func inBubble(n ast.Node) bool {
	s := called(n)
	return s != nil && is(s, "synctest", "Test")
}

func whenShort(n ast.Node) bool {
	i, ok := n.(*ast.IfStmt)
	if !ok {
		return false
	}
	s := called(i.Cond)
	return s != nil && is(s, "testing", "Short")
}

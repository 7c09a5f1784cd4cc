package house

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMechanismsAreComplete: each mechanism is explained on a page, shown by an
// example, and tested by properties and by fuzzing.
func TestMechanismsAreComplete(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		if layerOf(p.unit()) != 2 || p.ImportPath != modulePath+"/"+p.unit() {
			continue
		}
		seen++
		if _, err := os.Stat(filepath.Join(root(), "docs", p.Name+".md")); err != nil {
			t.Errorf("%s: write docs/%s.md: use, defaults, what it does in an incident, mistakes", p.ImportPath, p.Name)
		}
		tests := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
		for _, need := range []struct{ suffix, word, why string }{
			{"example_test.go", "func Example", "show how it is used, with // Output:"},
			{"_property_test.go", "rapid.Check", "say what always holds, and let rapid look for what breaks it"},
			{"_fuzz_test.go", "func Fuzz", "compare it with a naive implementation on any input"},
		} {
			if !slices.ContainsFunc(tests, func(f string) bool {
				if !strings.HasSuffix(f, need.suffix) {
					return false
				}
				text, err := os.ReadFile(filepath.Join(p.Dir, f))
				return err == nil && strings.Contains(string(text), need.word)
			}) {
				t.Errorf("%s has no file *%s with %q: %s", p.ImportPath, need.suffix, need.word, need.why)
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d mechanisms were found: this rule sees nothing", seen)
	}
}

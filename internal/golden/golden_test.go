package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// failing notes that a test failed.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Errorf(string, ...any) { f.failed = true }

func TestCheck(t *testing.T) {
	defer func(before bool) { *update = before }(*update)
	file := filepath.Join(t.TempDir(), "x.golden")
	for _, step := range []struct {
		got    string
		update bool
		fails  bool
	}{
		{"a\nb\n", true, false},
		{"a\nb\n", false, false},
		{"a\nc\n", false, true},
		{"a\nb", false, true}, // the last newline counts
		{"", false, true},
		{"", true, false},
		{"\n", false, true},
	} {
		*update = step.update
		f := &failing{TB: t}
		if Check(f, file, step.got); f.failed != step.fails {
			t.Errorf("%q: failed is %v", step.got, f.failed)
		}
	}
	if text, err := os.ReadFile(file); err != nil || len(text) > 0 {
		t.Errorf("%q, %v: only -update writes", text, err)
	}
}

func TestDifference(t *testing.T) {
	for _, x := range []struct {
		a, b string
		line int
	}{{"", "", 0}, {"a\nb", "a\nb", 0}, {"a\nb", "a\nc", 2}, {"a\n", "a", 1}, {"a\n", "a\nb", 2}} {
		if n, _, _ := difference(x.a, x.b); n != x.line {
			t.Errorf("%q and %q differ in line %d, want %d", x.a, x.b, n, x.line)
		}
	}
}

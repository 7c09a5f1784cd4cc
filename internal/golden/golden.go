// Package golden compares text with files that people review by eye: pictures of
// behaviour over time, and whole outputs. It is for tests, which get a flag:
// -update rewrites the files, and what changed in them is to be looked at.
package golden

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Check compares got with a file of the package that is tested, such as
// "testdata/pool.golden".
func Check(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n, is, was := difference(got, string(want)); n > 0 {
		t.Errorf("%s differs from line %d on: it is\n%s\nnow, and was\n%s\nWhere that is meant run the test with -update and look at the change. All of it:\n%s", file, n, is, was, got)
	}
}

// Updating reports whether the files are rewritten, for those that know another way.
func Updating() bool { return *update }

// difference returns the first line in which the texts differ, counted from 1, and
// what it is in each; 0 if they are the same.
func difference(a, b string) (n int, inA, inB string) {
	if a == b {
		return 0, "", ""
	}
	for {
		var more, too bool
		n++
		inA, a, more = strings.Cut(a, "\n")
		inB, b, too = strings.Cut(b, "\n")
		if inA != inB || more != too {
			return n, inA, inB
		}
	}
}

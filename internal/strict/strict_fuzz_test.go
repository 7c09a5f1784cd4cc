package strict_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/internal/strict"
)

func seed(f *testing.F, add func(data []byte)) {
	files, _ := filepath.Glob("testdata/*.yaml")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		add(data)
	}
}

// No input makes a panic, and every fault points into its file.
func FuzzRead(f *testing.F) {
	seed(f, func(data []byte) { f.Add(data) })
	f.Add([]byte("0: [:!00 \xef"))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, faults := read("f", data)
		lines := strings.Count(string(data), "\n") + 1
		for _, fault := range faults {
			if fault.Line < 0 || fault.Line > lines || fault.Line > 0 && fault.Column < 1 || fault.Text == "" || fault.File != "f" {
				t.Errorf("fault without a place in %d lines: %+v", lines, fault)
			}
			if line := fault.Error(); strings.Contains(line, "\n") {
				t.Errorf("not one line: %q", line)
			}
		}
		if pretty := faults.Pretty(map[string][]byte{"f": data}); strings.ContainsAny(pretty, "\x1b\x07\x00") {
			t.Errorf("steers the terminal: %q", pretty)
		}
	})
}

// What was decoded without a fault is decoded so again, and merging a tree
// with itself or with nothing in it changes nothing. (A merge of null removes.)
func FuzzMerge(f *testing.F) {
	seed(f, func(data []byte) { f.Add(data, []byte("dependencies: {plain: null, x: {}}\nname: y")) })
	f.Fuzz(func(t *testing.T, a, b []byte) {
		base, err := strict.Parse("base", a)
		if err != nil {
			return
		}
		over, err := strict.Parse("over", b)
		if err != nil {
			return
		}
		baseBefore, overBefore := show(base), show(over)
		merged := show(strict.Merge(base, over))
		if again := show(strict.Merge(base, over)); again != merged {
			t.Errorf("two merges differ:\n%s\n%s", merged, again)
		}
		if show(base) != baseBefore || show(over) != overBefore {
			t.Error("Merge changed its input")
		}
		if over.Kind == strict.Mapping {
			if nothing := *over; base.Kind == strict.Mapping {
				nothing.Pairs = nil
				if got := show(strict.Merge(base, &nothing)); got != baseBefore {
					t.Errorf("merged with nothing:\n%s\nwas\n%s", got, baseBefore)
				}
			}
		}
		var one, two policy
		if first := strict.Decode(base, &one); len(first) == 0 {
			if second := strict.Decode(base, &two); len(second) > 0 || !reflect.DeepEqual(one, two) {
				t.Errorf("decoded differently: %v\n%+v\n%+v", second, one, two)
			}
		}
	})
}

// show prints a tree with its places. Shared nodes are printed where they are
// used, which Parse bounds.
func show(n *strict.Node) string {
	var b strings.Builder
	var walk func(*strict.Node)
	walk = func(n *strict.Node) {
		b.WriteString(n.Fault("", n.Value).Error())
		for _, item := range n.Items {
			b.WriteString("- ")
			walk(item)
		}
		for _, p := range n.Pairs {
			b.WriteString("{")
			walk(p.Key)
			walk(p.Value)
			b.WriteString("}")
		}
	}
	walk(n)
	return b.String()
}

package strict_test

import (
	"strings"
	"testing"

	"github.com/stanch-go/stanch/internal/strict"
)

func TestReplace(t *testing.T) {
	root, err := strict.Parse("f", []byte("a: &x one\nlist: [two, {b: *x}]\nnil: null\n"))
	if err != nil {
		t.Fatal(err)
	}
	before := show(root)
	var seen []string
	louder := strict.Replace(root, func(n *strict.Node, at strict.Fault) *strict.Node {
		at.Text = n.Value
		seen = append(seen, at.Error())
		out := *n
		out.Value = strings.ToUpper(n.Value)
		return &out
	})
	want := "f:1:4: a: one|f:2:8: list[0]: two|f:2:14: list[1].b: one"
	if got := strings.Join(seen, "|"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	if got := show(root); got != before {
		t.Errorf("the tree itself changed:\n%s\nwas\n%s", got, before)
	}
	if got, want := show(louder), strings.NewReplacer("one", "ONE", "two", "TWO").Replace(before); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

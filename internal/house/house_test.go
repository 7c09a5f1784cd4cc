package house

import (
	"go/parser"
	"strings"
	"testing"
)

// The rules are tested too: what they are to find, they find.

func TestRulesFind(t *testing.T) {
	file, err := parser.ParseFile(fset, "found.go", `package p
func a() {
	time.Sleep(1) // found
	synctest.Test(t, func(t *testing.T) { time.Sleep(1); f(func() { time.Sleep(1) }) })
	f(func() { time.Sleep(1) }) // found
	if testing.Short() { t.Skip("slow") }
	if os.Getenv("X") == "" { t.Skipf("no %s", "X") } // found
	b.SkipNow() // found
}
`, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(calls(file, inBubble, isSleep)); n != 2 {
		t.Errorf("%d sleeps were found, want 2", n)
	}
	if n := len(calls(file, whenShort, isSkip)); n != 2 {
		t.Errorf("%d skips were found, want 2", n)
	}
	for text, want := range map[string]bool{
		"// TO" + "DO: later":                true,
		"x := 1 // FIX" + "ME":               true,
		"TO" + "DOs in another word":         false,
		"mastodon":                           false,
		"see `/ho" + "me/someone/x`":         true,
		"cd /wo" + "rk/x":                    true,
		"https://example.org/wo" + "rk/home": false,
		"a path such as docs/home/x":         false,
	} {
		if got := open.MatchString(text) || foreign.MatchString(text); got != want {
			t.Errorf("%q: found is %v, want %v", text, got, want)
		}
	}
}

func TestUndocumentedFinds(t *testing.T) {
	file, err := parser.ParseFile(fset, "bare.go", `package p
type Bare struct { // found
	// A has one.
	A int
	B int

	C int // so has this one
	D int

	E, f int // and this

	Found int
	G int // too late for it
	h int
}
// T has one.
type T interface { M() }
// U has one.
type U interface {
	FoundToo()
	// N has one.
	N()
}
type u struct { X int }
func (u) M() {}
func (*T) FoundThree() {}
func (T) String() string { return "" }
const FoundFour = 1
// These have one.
const (
	H = 1
	I = 2
)
var J = 1 // has one
func FoundFive() {}
// K has one.
func K() {}
`, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range file.Decls {
		for _, id := range undocumented(d) {
			got = append(got, id.Name)
		}
	}
	if s := strings.Join(got, " "); s != "Bare Found FoundToo FoundThree FoundFour FoundFive" {
		t.Errorf("undocumented are %s", s)
	}
}

func TestBlocks(t *testing.T) {
	fenced, prose := blocks("# A `b`, C_d!\n```go run\nx := 1\n# no heading\n```\ntext\n````md\n```\ninner\n```\n````\n")
	want := []block{{"go", "x := 1\n# no heading\n", 3}, {"md", "```\ninner\n```\n", 8}}
	if len(fenced) != 2 || fenced[0] != want[0] || fenced[1] != want[1] {
		t.Errorf("blocks are %+v, want %+v", fenced, want)
	}
	if got := strings.Join(prose, "|"); got != "# A `b`, C_d!|||||text||||||" {
		t.Errorf("prose is %q", got)
	}
	if a := anchors("# A `b`, C_d!\n"); len(a) != 1 || !a["a-b-c_d"] {
		t.Errorf("anchors are %v", a)
	}
}

func TestParseSnippet(t *testing.T) {
	for text, ok := range map[string]bool{
		"x := f()\nreturn x":                                 true,
		"import \"fmt\"\nfunc f() {}":                        true,
		"type T struct{}\nvar x = T{}":                       true,
		"x := f()\n...\nreturn":                              false,
		"f(breaker.Config{...})":                             false,
		"func f() {}\nx := f()":                              false,
		"a, err := stanch.Ask(ctx, d,\n\tfetch)\n// a.Value": true,
	} {
		if err := parseSnippet(block{text: text}); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestChanged(t *testing.T) {
	if got := changed("a 1\nb 2\n", "a 1\nb 3\n"); got != "\ngone b 2\nnew  b 3" {
		t.Errorf("changed is %q", got)
	}
}

func TestLayersKnowTheirUnits(t *testing.T) {
	for path, want := range map[string]string{
		modulePath:                           "",
		modulePath + "/breaker":              "breaker",
		modulePath + "/sim/internal/vtime":   "sim",
		modulePath + "/internal/clock":       "internal",
		modulePath + "/internal/demo/screen": "internal/demo",
		modulePath + "/none/below":           "none",
		modulePath + "/cmd/stanch":           "cmd",
	} {
		if got := unitOf(path); got != want {
			t.Errorf("%s belongs to %q, want %q", path, got, want)
		}
	}
	if layerOf("outcome") >= layerOf("breaker") || layerOf("sim") <= layerOf("") || layerOf("none") != -1 {
		t.Error("the layers are not in order")
	}
}

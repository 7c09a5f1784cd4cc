package strict_test

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/strict"
)

func parse(t testing.TB, file, text string) *strict.Node {
	t.Helper()
	root, err := strict.Parse(file, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// decode returns the faults of one field of type T, one a line.
func decode[T any](t testing.TB, value string) (T, string) {
	t.Helper()
	var into struct {
		V T `yaml:"v"`
	}
	faults := strict.Decode(parse(t, "f", "v: "+value), &into)
	return into.V, faults.Error()
}

func TestValidFileFillsEveryField(t *testing.T) {
	data, err := os.ReadFile("testdata/valid.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, faults := read("valid.yaml", data)
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	if p.Name != "shop" || p.Mode != "observe" || !p.Live || p.Body != 64<<10 {
		t.Errorf("scalars: %+v", p)
	}
	if !slices.Equal(p.Seeds, []uint8{1, 2, 255}) {
		t.Errorf("seeds: %v", p.Seeds)
	}
	if want := map[string]float64{"read": 0.3, "write": 0.7}; !reflect.DeepEqual(p.Weights, want) {
		t.Errorf("weights: %v", p.Weights)
	}
	var order []string
	for key := range p.Dependencies.All() {
		order = append(order, key)
	}
	if want := []string{"recommend", "search", "plain"}; !slices.Equal(order, want) {
		t.Errorf("order: %v, want %v", order, want)
	}
	if at := p.Dependencies[1].At; at.Line != 19 || at.Column != 3 {
		t.Errorf("search is at %d:%d", at.Line, at.Column)
	}
	recommend, _ := p.Dependencies.Get("recommend")
	if recommend.Timeout != (timeout{250 * time.Millisecond, time.Second}) ||
		*recommend.Breaker != (breaker{5, 90 * time.Second}) ||
		!recommend.Queue.Unbounded || recommend.MaxQueue != 40 || recommend.Share != 0.5 ||
		!slices.Equal(recommend.Hosts, []string{"a.example:80", "b.example:80"}) {
		t.Errorf("recommend: %+v", recommend)
	}
	search, ok := p.Dependencies.Get("search")
	if !ok || search.Timeout != recommend.Timeout || search.Breaker != nil || search.Queue.Length != 12 {
		t.Errorf("search: %+v", search)
	}
	if p.Over.Get("anything").Items[1].Value != "here" {
		t.Error("over is not the tree of the file")
	}
}

func TestAbsentKeysKeepDefaults(t *testing.T) {
	shared := &breaker{Failures: 3, Cooldown: time.Minute}
	d := dependency{Breaker: shared, Hosts: []string{"default"}}
	d.MaxQueue = 7
	faults := strict.Decode(parse(t, "f", "breaker: {failures: 9}\nhosts: null\nmax_queue: ~"), &d)
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	if *d.Breaker != (breaker{9, time.Minute}) || d.MaxQueue != 7 || !slices.Equal(d.Hosts, []string{"default"}) {
		t.Errorf("got %+v, %+v", d, d.Breaker)
	}
	if shared.Failures != 3 {
		t.Error("decoding wrote through a default that others share")
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]strict.Size{
		"0": 0, "0B": 0, "512B": 512, "1KB": 1000, "1kB": 1000, "64KiB": 64 << 10, "1.5 MiB": 3 << 19,
		"9223372036854775807B": 1<<63 - 1, "0.001KB": 1, "-1KiB": -1024, `"2GB"`: 2e9,
	} {
		if got, faults := decode[strict.Size](t, text); got != want || faults != "" {
			t.Errorf("%s: %d %s, want %d", text, got, faults, want)
		}
	}
	for text, want := range map[string]string{
		"9223372036854775808B": "f:1:4: v: is too large, is 9223372036854775808B",
		"1e20B":                "f:1:4: v: has the unknown unit \"e20B\", is \"1e20B\"; units are B, KB, MB, GB, TB, KiB, MiB, GiB, TiB",
		"1K":                   "f:1:4: v: has the unknown unit \"K\", is \"1K\"; units are B, KB, MB, GB, TB, KiB, MiB, GiB, TiB",
		"0.1B":                 "f:1:4: v: must be a whole number of bytes, is 0.1B",
		"[1B]":                 "f:1:4: v: must be a size, such as 64KiB or 1MB, is a list",
	} {
		if _, faults := decode[strict.Size](t, text); faults != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, faults, want)
		}
	}
	for size, want := range map[strict.Size]string{0: "0B", 1024: "1KiB", 1000: "1KB", 1500: "1500B", -1 << 63: "-8388608TiB"} {
		if got := size.String(); got != want {
			t.Errorf("%d: %s, want %s", int64(size), got, want)
		}
	}
}

func TestMerge(t *testing.T) {
	base := parse(t, "base.yaml", "a: 1\nb: {x: 1, y: 2}\nc: [1, 2]\nd: 4\ne: 5\n")
	over := parse(t, "over.yaml", "\nz: 26\nb: {y: 3, w: 4}\nc: [3]\nd: null\nnone: ~\ne: {deep: 1}\n")
	merged := strict.Merge(base, over)
	var got []string
	var walk func(prefix string, n *strict.Node)
	walk = func(prefix string, n *strict.Node) {
		for _, p := range n.Pairs {
			got = append(got, prefix+p.Key.Value+" "+p.Value.File+" "+p.Value.Value)
			walk(prefix+p.Key.Value+".", p.Value)
		}
	}
	walk("", merged)
	want := []string{
		"a base.yaml 1", "b base.yaml ", "b.x base.yaml 1", "b.y over.yaml 3", "b.w over.yaml 4",
		"c over.yaml ", "e over.yaml ", "e.deep over.yaml 1", "z over.yaml 26", "none over.yaml ~",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if base.Get("d") == nil || len(base.Get("b").Pairs) != 2 {
		t.Error("Merge changed base")
	}
	if strict.Merge(nil, over) != over || strict.Merge(base, nil) != base {
		t.Error("nil is not neutral")
	}

	var into struct {
		A int            `yaml:"a"`
		B map[string]int `yaml:"b"`
	}
	faults := strict.Decode(strict.Merge(
		parse(t, "base.yaml", "a: 1\nb: {x: one}"), parse(t, "over.yaml", "b:\n  y: two")), &into)
	if got, want := faults.Error(), "base.yaml:2:8: b.x: must be a whole number, is \"one\"\n"+
		"over.yaml:2:6: b.y: must be a whole number, is \"two\""; got != want {
		t.Errorf("faults of a merged tree:\n%s\nwant\n%s", got, want)
	}
}

func TestWhere(t *testing.T) {
	root := parse(t, "f", "a:\n  b: [x, {c: 1}]\n  \"d.e\":\n    f: 2\n")
	for path, want := range map[string][2]int{
		"":             {1, 1},
		"a":            {1, 1}, // its value begins elsewhere
		"a.b":          {2, 6},
		"a.b[0]":       {2, 7},
		"a.b[1].c":     {2, 14},
		"a.b[9].c":     {2, 6},
		`a["d.e"].f`:   {4, 8},
		"a.b.none":     {2, 6},
		"a.none.b":     {1, 1},
		"none":         {1, 1},
		"not a path: ": {1, 1},
	} {
		if line, column := root.Where(path); [2]int{line, column} != want {
			t.Errorf("%q: %d:%d, want %v", path, line, column, want)
		}
	}
	f := root.Fault("a.b[1].c", "is odd")
	if got, want := f.Error(), "f:2:14: a.b[1].c: is odd"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMap(t *testing.T) {
	m := strict.Map[int]{{Key: "b", Value: 1}, {Key: "a", Value: 2}}
	if v, ok := m.Get("a"); v != 2 || !ok {
		t.Errorf("a: %d %v", v, ok)
	}
	if v, ok := m.Get("c"); v != 0 || ok {
		t.Errorf("c: %d %v", v, ok)
	}
	for key := range m.All() {
		if key != "b" {
			t.Errorf("first is %s", key)
		}
		break
	}
	got, faults := decode[strict.Map[int]](t, "{z: 1, y: ~, x: three}")
	if len(got) != 2 || got[0].Key != "z" || got[0].Value != 1 || faults != "f:1:20: v.x: must be a whole number, is \"three\"" {
		t.Errorf("got %+v, %s", got, faults)
	}
}

func TestFaults(t *testing.T) {
	if err := (strict.Faults{}).Err(); err != nil {
		t.Errorf("no faults are an error: %v", err)
	}
	b := strict.Fault{File: "f", Line: 2, Column: 1, Path: "b", Text: "is bad", Hint: "be good"}
	a := strict.Fault{File: "f", Line: 1, Column: 9, Text: "is bad"}
	faults := strict.Faults{b, a, b}.Sorted()
	if got, want := faults.Error(), "f:1:9: is bad\nf:2:1: b: is bad; be good"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if f, ok := errors.AsType[strict.Fault](faults.Err()); !ok || f != a {
		t.Errorf("errors.AsType finds %v", f)
	}
	if got, want := (strict.Fault{Text: "alone"}).Error(), "alone"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := faults.Pretty(nil), "f:1:9: is bad\nf:2:1: b: is bad; be good\n"; got != want {
		t.Errorf("without sources: %q", got)
	}
}

func TestLimits(t *testing.T) {
	for name, text := range map[string]string{
		"f: file is larger than 1MiB":                             strings.Repeat("#", strict.MaxBytes+1),
		"f:1:4: a: has more than 100000 values, aliases expanded": "a: [" + strings.Repeat("1,", strict.MaxValues) + "]",
		"f:1:2: has a control character (U+0001)":                 "\uFEFFa\x01",
		"f:1:68: is nested more than 64 deep":                     "a: " + strings.Repeat("[", 1000),
	} {
		_, err := strict.Parse("f", []byte(text))
		if err == nil || err.Error() != name {
			t.Errorf("got %.200v, want %s", err, name)
		}
	}

	// Depth that only aliases make.
	var deep bytes.Buffer
	deep.WriteString("a0: &a0 [1]\n")
	for i := range 9 {
		deep.WriteString(strings.NewReplacer("N", string(rune('0'+i+1)), "P", string(rune('0'+i))).
			Replace("aN: &aN [[[[[[[[[*aP]]]]]]]]]\n"))
	}
	_, err := strict.Parse("f", deep.Bytes())
	if err == nil || !strings.Contains(err.Error(), "is nested more than 64 deep, aliases expanded") {
		t.Errorf("got %v", err)
	}
}

func TestProgrammersMistakesPanic(t *testing.T) {
	root := parse(t, "f", "v: 1")
	for name, into := range map[string]any{
		"no pointer":  struct{}{},
		"nil pointer": (*dependency)(nil),
		"channel": &struct {
			V chan int `yaml:"v"`
		}{},
		"interface": &struct {
			V any `yaml:"v"`
		}{},
		"map by int": &struct {
			V map[int]int `yaml:"v"`
		}{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			strict.Decode(root, into)
		}()
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", time.Minute: "1m", time.Hour: "1h", 90 * time.Second: "1m30s", time.Hour + time.Second: "1h0m1s",
		10 * time.Minute: "10m", 1500 * time.Millisecond: "1.5s", -time.Minute: "-1m",
	} {
		if got := strict.Duration(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
		if again, err := time.ParseDuration(strict.Duration(d)); err != nil || again != d {
			t.Errorf("%v became %v (%v)", d, again, err)
		}
	}
}

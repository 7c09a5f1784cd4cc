package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two rounds, in the second of which the machine was half as fast, and one pass
// of it was disturbed.
const results = `round: 1
pkg: example.org/bench
BenchmarkCall/alone/ours-2   	 1000	       40.0 ns/op	      96 B/op	       1 allocs/op
BenchmarkCall/alone/theirs/usual-2   	 1000	       120.0 ns/op	      96 B/op	       4 allocs/op
BenchmarkCall/alone/theirs/fastest-2   	 1000	       100.0 ns/op	      96 B/op	       3 allocs/op
round: 2
BenchmarkCall/alone/ours-2   	 1000	       80.0 ns/op	      96 B/op	       1 allocs/op
BenchmarkCall/alone/theirs/usual-2   	 1000	       240.0 ns/op	      96 B/op	       4 allocs/op
BenchmarkCall/alone/theirs/fastest-2   	 1000	       900.0 ns/op	      96 B/op	       3 allocs/op
BenchmarkCall/alone/theirs/fastest-2   	 1000	       200.0 ns/op	      96 B/op	       3 allocs/op
`

func example(t *testing.T) *measured {
	file := filepath.Join(t.TempDir(), "results")
	if err := os.WriteFile(file, []byte(results), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := load(file)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestJudge(t *testing.T) {
	m := example(t)
	theirs := []string{"Call/alone/theirs/usual", "Call/alone/theirs/fastest"}
	for _, c := range []struct {
		p       promise
		verdict string
		got     string
	}{
		{promise{ours: "Call/alone/ours", than: theirs, most: 0.4}, "kept", "0.40"}, // within each round, of the best
		{promise{ours: "Call/alone/ours", than: theirs, most: 0.39}, "**missed**", "0.40"},
		{promise{ours: "Call/alone/ours", than: theirs[:1], most: 0.34}, "kept", "0.33"},
		{promise{ours: "Call/alone/theirs/fastest", than: []string{"Call/alone/ours"}, plus: 90}, "kept", "90"},
		{promise{ours: "Call/alone/theirs/fastest", than: []string{"Call/alone/ours"}, plus: 89}, "**missed**", "90"},
		{promise{ours: "Call/alone/ours", unit: "allocs/op", most: 1}, "kept", "1"},
		{promise{ours: "Call/alone/ours", unit: "allocs/op", most: 0}, "**missed**", "1"},
		{promise{ours: "Call/alone/ours", unit: "B/op", least: 97}, "**missed**", "96"},
		{promise{ours: "Call/alone/nobody", most: 1}, "missing", "Call/alone/nobody has no ns/op"},
		{promise{ours: "Call/alone/ours", than: []string{"nobody"}, most: 1}, "missing", "nobody has no ns/op"},
	} {
		if verdict, _, got, _ := c.p.judge(m); verdict != c.verdict || got != c.got {
			t.Errorf("%+v: %s, %s; want %s, %s", c.p, verdict, got, c.verdict, c.got)
		}
	}
}

func TestTables(t *testing.T) {
	var out strings.Builder
	m := example(t)
	tables(&out, m)
	if want := "| theirs/fastest | 150 | | 96 | 3 | |"; !strings.Contains(strings.ReplaceAll(out.String(), "|  |", "| |"), want) {
		t.Errorf("no line %q in:\n%s", want, out.String())
	}
	if verdicts(&out, m, "%s %s %s %s %s\n") {
		t.Error("what was not measured counts as kept")
	}
}

package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestParseTargets(t *testing.T) {
	got := parseTargets([]byte(`FuzzA
FuzzB
ok  	example.org/m/one	0.004s
ok  	example.org/m/none	0.003s
?   	example.org/m/untested	[no test files]
FuzzC
ok  	example.org/m/two	0.004s
`))
	want := []target{{"example.org/m/one", "FuzzA"}, {"example.org/m/one", "FuzzB"}, {"example.org/m/two", "FuzzC"}}
	if !slices.Equal(got, want) {
		t.Errorf("targets are %v, want %v", got, want)
	}
}

func TestChoose(t *testing.T) {
	steps := func() []step { return []step{{name: "a"}, {name: "b"}, {name: "c"}} }
	names := func(steps []step) (all []string) {
		for _, s := range steps {
			all = append(all, s.name)
		}
		return all
	}
	for _, c := range []struct{ args, want []string }{
		{nil, []string{"a", "b", "c"}},
		{[]string{"c", "a"}, []string{"a", "c"}},
	} {
		got, err := choose(steps(), c.args)
		if err != nil || !slices.Equal(names(got), c.want) {
			t.Errorf("choose %v: %v, %v, want %v", c.args, names(got), err, c.want)
		}
	}
	if _, err := choose(steps(), []string{"a", "x"}); err == nil || err.Error() != `no step is called "x"; there are: a, b, c` {
		t.Errorf("an unknown step: %v", err)
	}
}

func TestRunAllGoesOnUnlessNothingCompiles(t *testing.T) {
	var ran []string
	made := func(name string, err error, vital bool) step {
		return step{name: name, vital: vital, run: func() error { ran = append(ran, name); return err }}
	}
	fault := errors.New("a fault")
	for _, c := range []struct {
		steps []step
		want  []string
		holds bool
	}{
		{[]step{made("a", nil, true), made("b", nil, false)}, []string{"a", "b"}, true},
		{[]step{made("a", fault, false), made("b", nil, false)}, []string{"a", "b"}, false},
		{[]step{made("a", fault, true), made("b", nil, false)}, []string{"a"}, false},
	} {
		ran = nil
		if holds := runAll(t.Output(), c.steps); holds != c.holds || !slices.Equal(ran, c.want) {
			t.Errorf("ran %v, all hold is %v; want %v, %v", ran, holds, c.want, c.holds)
		}
	}
}

func TestDivide(t *testing.T) {
	together, alone := divide([]string{"m", "m/internal/house", "m/sim", "m/sim/real", "m/cmd/stanch"})
	if !slices.Equal(together, []string{"m", "m/sim"}) || !slices.Equal(alone, []string{"m/sim/real", "m/cmd/stanch"}) {
		t.Errorf("together %v, alone %v", together, alone)
	}
}

// TestRealTimePackagesExist finds names that no package has any more.
func TestRealTimePackagesExist(t *testing.T) {
	for _, name := range append([]string{elsewhere}, realTime...) {
		if _, err := os.Stat(filepath.Join("../..", name)); err != nil {
			t.Error(err)
		}
	}
}

// Go 1.26 calls the end of -fuzztime a failure now and then. Only that is passed
// over, never a failing input.
func TestOutOfTime(t *testing.T) {
	const bare = "fuzz: elapsed: 3s, execs: 6698 (0/sec)\n--- FAIL: FuzzX (4.02s)\n    context deadline exceeded\nFAIL\n"
	for out, want := range map[string]bool{
		bare: true,
		bare + "    Failing input written to testdata/fuzz/FuzzX/0123\n":          false,
		"--- FAIL: FuzzX (0.1s)\n    x_test.go:3: context deadline exceeded\n":    false,
		"--- FAIL: FuzzX (0.1s)\n    x_test.go:3: 1, want 2\nFAIL\nexit status 1": false,
	} {
		if got := outOfTime(out); got != want {
			t.Errorf("%q: %v", out, got)
		}
	}
}

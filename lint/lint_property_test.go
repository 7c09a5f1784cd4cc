package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/policy"
)

// TestKeyOrder: what is found does not depend on the order of the keys. Only the
// order of the callers means something.
func TestKeyOrder(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases: ", err)
	}
	whole := map[string]*strict.Node{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if whole[file], err = strict.Parse(file, text); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		file := rapid.SampledFrom(files).Draw(rt, "file")
		plain := write(whole[file], "", func(p []strict.Pair) []strict.Pair { return p })
		mixed := write(whole[file], "", func(p []strict.Pair) []strict.Pair { return rapid.Permutation(p).Draw(rt, "order") })
		if a, b := found(t, plain), found(t, mixed); !slices.Equal(a, b) {
			rt.Errorf("%s: found is\n%s\nand in another order\n%s", mixed, strings.Join(a, "\n"), strings.Join(b, "\n"))
		}
	})
}

// found are the findings without their places, and the sums.
func found(t *testing.T, text string) (all []string) {
	t.Helper()
	r := Check(parse(t, "policy.yaml", text))
	for _, f := range r.Findings {
		if f.Rule.Code == "ST403" { // names one of the guests
			f.Text = ""
		}
		all = append(all, fmt.Sprint(f.Rule.Code, f.Path, f.Text, f.Remedy, f.Allowed))
	}
	for _, s := range r.Sums {
		all = append(all, fmt.Sprintf("%s %q %q", s.Dependency, s.Time.Words, s.Fault.Words))
	}
	slices.Sort(all)
	return all
}

// write is the YAML of a tree.
func write(n *strict.Node, indent string, order func([]strict.Pair) []strict.Pair) string {
	switch n.Kind {
	case strict.Mapping:
		if len(n.Pairs) == 0 {
			return " {}\n"
		}
		var b strings.Builder
		b.WriteString("\n")
		for _, p := range order(n.Pairs) {
			within := order
			if p.Key.Value == "callers" {
				within = func(p []strict.Pair) []strict.Pair { return p }
			}
			b.WriteString(indent + p.Key.Value + ":" + write(p.Value, indent+"  ", within))
		}
		return b.String()
	case strict.List:
		var b strings.Builder
		b.WriteString("\n")
		for _, item := range n.Items {
			b.WriteString(indent + "-" + write(item, indent+"  ", order))
		}
		return b.String()
	}
	if n.Quoted || strings.ContainsAny(n.Value, ": ") {
		return fmt.Sprintf(" %q\n", n.Value)
	}
	return " " + n.Value + "\n"
}

// TestSharedBudgetNeverAddsUp: whatever the attempts would add up to, a call
// with one budget of time below the deadline is no finding of a rule that adds.
func TestSharedBudgetNeverAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deadline := rapid.IntRange(10, 10_000).Draw(t, "deadline")
		total := rapid.IntRange(2, deadline-1).Draw(t, "total")
		attempt := rapid.IntRange(1, total).Draw(t, "attempt")
		bound := fmt.Sprintf("total: %dms", total)
		if rapid.Bool().Draw(t, "handed on") {
			bound = "reserve: 1ms"
		}
		text := fmt.Sprintf(`service: {deadline: %dms}
layers: {callers: {gateway: {wait: %dms}}}
dependencies:
  d:
    timeout: {attempt: %dms, %s}
    retry: {attempts: %d, base: %dms}
    budget: {kind: earning}
    bulkhead: {limit: 1, queue: 1, max_wait: %dms}
`, deadline, deadline+1, attempt, bound, rapid.IntRange(1, 100).Draw(t, "attempts"),
			rapid.IntRange(1, 10_000).Draw(t, "base"), rapid.IntRange(1, 10_000).Draw(t, "wait"))
		p, err := policy.Parse("policy.yaml", []byte(File(text)))
		if err != nil {
			t.Fatal(err)
		}
		r := Check(p)
		for _, f := range r.Findings {
			if slices.Contains([]string{"ST102", "ST206", "ST601"}, f.Rule.Code) {
				t.Errorf("%s\n%v", text, f)
			}
		}
		if worst := r.Sums[0].Time.WorstMs; worst == nil || *worst >= float64(deadline) {
			t.Errorf("worst is %v, deadline %d", worst, deadline)
		}
	})
}

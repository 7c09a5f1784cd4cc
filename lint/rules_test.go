package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/policy"
)

func parse(t testing.TB, file, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse(file, []byte(text), policy.WithEnv(func(string) (string, bool) { return "", false }))
	if err != nil {
		t.Fatalf("%s:\n%v", file, err)
	}
	return p
}

// TestCodes holds the rules to what their users rely on.
func TestCodes(t *testing.T) {
	var codes []string
	for _, r := range Rules() {
		codes = append(codes, r.Code)
		if !regexp.MustCompile(`^ST[1-9]\d\d$`).MatchString(r.Code) {
			t.Errorf("%s is no code", r.Code)
		}
		if !slices.ContainsFunc(Groups, func(g struct{ Digit, Title string }) bool { return g.Digit == r.Group() }) {
			t.Errorf("%s is in no group", r.Code)
		}
		if !slices.Contains(r.Severity.Values(), string(r.Severity)) {
			t.Errorf("%s has severity %q", r.Code, r.Severity)
		}
		if r.Title == "" || strings.HasSuffix(r.Title, ".") || !strings.HasSuffix(r.Why, ".") || strings.HasSuffix(r.Brief(), ".") {
			t.Errorf("%s: title %q, why %q", r.Code, r.Title, r.Why)
		}
		if files, _ := filepath.Glob(strings.ToLower(r.Code) + "_*.go"); len(files) != 1 {
			t.Errorf("%s is in %v, want one file", r.Code, files)
		}
		if found, err := Find(strings.ToLower(r.Code)); err != nil || found.Code != r.Code {
			t.Errorf("Find(%s) is %v, %v", r.Code, found, err)
		}
	}
	if !slices.IsSorted(codes) || len(slices.Compact(slices.Clone(codes))) != len(codes) {
		t.Errorf("codes are not in order, or not each once: %v", codes)
	}
	if _, err := Find("ST000"); err == nil {
		t.Error("there is a rule ST000")
	}
}

// TestExamples: the documentation of a rule breaks it and mends it.
func TestExamples(t *testing.T) {
	for _, r := range Rules() {
		breaks := func(text string) (n int) {
			for _, f := range Check(parse(t, r.Code, File(text))).Broken(Info) {
				if f.Rule.Code == r.Code {
					n++
				}
			}
			return n
		}
		if breaks(r.Bad) == 0 {
			t.Errorf("%s: the bad example does not break it", r.Code)
		}
		if n := breaks(r.Good); n != 0 {
			t.Errorf("%s: the good example breaks it %d times", r.Code, n)
		}
	}
}

var wanted = regexp.MustCompile(`# want (ST\d+) "([^"]*)"`)

// TestRules runs each rule at its cases. A comment says what is found in its line.
func TestRules(t *testing.T) {
	for _, r := range Rules() {
		t.Run(r.Code, func(t *testing.T) {
			for _, name := range []string{"bad", "good"} {
				file := filepath.Join("testdata", r.Code, name+".yaml")
				rules := []*Rule{r}
				if r == needless {
					rules = Rules() // it is about what the others find
				}
				n := compare(t, file, rules, func(f Finding) bool { return f.Rule.Code == r.Code })
				if (n == 0) != (name == "good") {
					t.Errorf("%s breaks it %d times", file, n)
				}
			}
		})
	}
}

// TestWhole runs all rules at policies as they are written.
func TestWhole(t *testing.T) {
	files, err := filepath.Glob("testdata/whole/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases: ", err)
	}
	for _, file := range files {
		compare(t, file, Rules(), func(f Finding) bool { return f.Allowed == "" })
	}
}

// compare holds the findings of a file to the comments in it, and returns how
// many there are.
func compare(t *testing.T, file string, rules []*Rule, concerns func(Finding) bool) (n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	found := make([][]Finding, len(lines)+1)
	for _, f := range check(parse(t, file, string(text)), rules).Findings {
		if concerns(f) {
			n++
			found[f.Line] = append(found[f.Line], f)
		}
	}
	for i, line := range lines {
		rest := found[i+1]
		for _, w := range wanted.FindAllStringSubmatch(line, -1) {
			text := regexp.MustCompile(w[2])
			k := slices.IndexFunc(rest, func(f Finding) bool { return f.Rule.Code == w[1] && text.MatchString(f.Text) })
			if k < 0 {
				t.Errorf("%s:%d: no %s %q", file, i+1, w[1], w[2])
				continue
			}
			rest = slices.Delete(slices.Clone(rest), k, k+1)
		}
		for _, f := range rest {
			t.Errorf("unexpected: %v\n\t%s", f, f.Remedy)
		}
	}
	return n
}

package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/lint"
	"github.com/stanch-go/stanch/lint/report"
	"github.com/stanch-go/stanch/policy"
)

// checked is the policy of the golden files, by names without a directory.
func checked(t *testing.T) (*lint.Report, map[string][]byte) {
	t.Helper()
	sources := map[string][]byte{}
	p, err := policy.Load("policy.yaml", policy.WithFiles(func(path string) ([]byte, error) {
		text, err := os.ReadFile(filepath.Join("testdata", path))
		sources[path] = text
		return text, err
	}))
	if err != nil {
		t.Fatal(err)
	}
	return lint.Check(p), sources
}

func TestText(t *testing.T) {
	r, sources := checked(t)
	var b bytes.Buffer
	if err := report.Text(&b, r, report.TextOptions{Sources: sources}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/text.golden", b.String())
	var coloured bytes.Buffer
	if err := report.Text(&coloured, r, report.TextOptions{Colour: true, Sources: sources}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(coloured.String(), "\x1b[31merror\x1b[0m ST") {
		t.Error("errors are not red")
	}
}

func TestJSON(t *testing.T) {
	r, _ := checked(t)
	var b bytes.Buffer
	if err := report.JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	if strings.Count(b.String(), "\n") != 1 {
		t.Error("the object is not on one line")
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, b.Bytes(), "", "  "); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/json.golden", pretty.String())
}

func TestGitHub(t *testing.T) {
	r, _ := checked(t)
	r.Findings[0].File = "a,b:c%.yaml"
	var b bytes.Buffer
	if err := report.GitHub(&b, r); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/github.golden", b.String())
	for line := range strings.Lines(b.String()) {
		if !strings.HasPrefix(line, "::") || strings.Contains(line, "ST404") {
			t.Errorf("%q is no command, or is of what is allowed", line)
		}
	}
}

func TestRules(t *testing.T) {
	var b bytes.Buffer
	if err := report.Rules(&b, report.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/rules.golden", b.String())
	b.Reset()
	rule, err := lint.Find("ST402")
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Explain(&b, rule, report.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "testdata/explain.golden", b.String())
}

// TestDocs keeps docs/checks.md as the rules have it: the list of them begins
// at the marker and is the rest of the file.
func TestDocs(t *testing.T) {
	const file, marker = "../../docs/checks.md", "<!-- what follows is generated from the rules -->\n\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := strings.Cut(string(text), marker)
	if !ok {
		t.Fatalf("%s has no marker", file)
	}
	golden.Check(t, file, head+marker+report.Markdown())
}

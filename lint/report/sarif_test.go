package report_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/lint"
	"github.com/stanch-go/stanch/lint/report"
)

// TestSARIF checks what SARIF 2.1.0 requires and what readers of it rely on.
func TestSARIF(t *testing.T) {
	r, _ := checked(t)
	var b bytes.Buffer
	if err := report.SARIF(&b, []*lint.Report{r}, "v1.2.3"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version, InformationURI string
					Rules                         []struct {
						ID               string
						ShortDescription struct{ Text string }
						FullDescription  struct{ Text string }
						Help             struct{ Text, Markdown string }
						Configuration    struct{ Level string } `json:"defaultConfiguration"`
					}
				}
			}
			ColumnKind string
			Results    []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
					LogicalLocations []struct{ FullyQualifiedName string }
				}
				PartialFingerprints map[string]string
				Suppressions        []struct{ Kind, Justification string }
			}
		}
	}
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.HasSuffix(log.Schema, "sarif-2.1.0.json") || len(log.Runs) != 1 {
		t.Fatalf("version %q, schema %q, %d runs", log.Version, log.Schema, len(log.Runs))
	}
	run := log.Runs[0]
	driver := run.Tool.Driver
	if driver.Name != "stanch" || driver.Version != "v1.2.3" || driver.InformationURI == "" || run.ColumnKind != "unicodeCodePoints" {
		t.Errorf("driver %+v, columns in %q", driver, run.ColumnKind)
	}
	levels := map[string]bool{"error": true, "warning": true, "note": true}
	for _, rule := range driver.Rules {
		if rule.ShortDescription.Text == "" || rule.FullDescription.Text == "" || rule.Help.Text == "" || rule.Help.Markdown == "" || !levels[rule.Configuration.Level] {
			t.Errorf("rule %s lacks a part: %+v", rule.ID, rule)
		}
	}
	if len(run.Results) != len(r.Findings) {
		t.Fatalf("%d results, %d findings", len(run.Results), len(r.Findings))
	}
	suppressed := 0
	for i, result := range run.Results {
		f := r.Findings[i]
		if result.RuleID != f.Rule.Code || driver.Rules[result.RuleIndex].ID != f.Rule.Code || !levels[result.Level] || result.Message.Text == "" || len(result.PartialFingerprints) == 0 {
			t.Errorf("result %+v of %v", result, f)
		}
		at := result.Locations[0].PhysicalLocation
		if at.ArtifactLocation.URI != f.File || at.Region.StartLine != f.Line || at.Region.StartColumn != f.Column ||
			result.Locations[0].LogicalLocations[0].FullyQualifiedName != f.Path {
			t.Errorf("result at %+v, finding %v", at, f)
		}
		for _, s := range result.Suppressions {
			suppressed++
			if s.Kind != "inSource" || s.Justification != f.Allowed {
				t.Errorf("suppression %+v, want %q", s, f.Allowed)
			}
		}
	}
	if suppressed != 1 {
		t.Errorf("%d are suppressed, want one", suppressed)
	}
}

// TestSARIFNames: a file's name may have any character, and a URI may not.
func TestSARIFNames(t *testing.T) {
	for name, want := range map[string]string{
		"a b.yaml":              "a%20b.yaml",
		"dir/50%.yaml":          "dir/50%25.yaml",
		"x:y.yaml":              "./x:y.yaml",
		filepath.Join("/", "p"): "file:///p",
	} {
		r, _ := checked(t)
		r.Findings = r.Findings[:1]
		r.Findings[0].File = name
		var b bytes.Buffer
		if err := report.SARIF(&b, []*lint.Report{r}, ""); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), `"uri": "`+want+`"`) {
			t.Errorf("%s is not written as %s", name, want)
		}
	}
	// None at all is still a log.
	var b bytes.Buffer
	if err := report.SARIF(&b, nil, ""); err != nil || !strings.Contains(b.String(), `"results": []`) {
		t.Errorf("without reports: %v\n%s", err, b.String())
	}
}

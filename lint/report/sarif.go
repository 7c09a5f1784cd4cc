package report

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/stanch-go/stanch/lint"
)

// A SARIF log, version 2.1.0 of OASIS, as far as we have something to say.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string             `json:"id"`
		ShortDescription     sarifText          `json:"shortDescription"`
		FullDescription      sarifText          `json:"fullDescription"`
		Help                 sarifText          `json:"help"`
		DefaultConfiguration sarifConfiguration `json:"defaultConfiguration"`
	}
	sarifConfiguration struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown,omitempty"`
	}
	sarifResult struct {
		RuleID       string             `json:"ruleId"`
		RuleIndex    int                `json:"ruleIndex"`
		Level        string             `json:"level"`
		Message      sarifText          `json:"message"`
		Locations    []sarifLocation    `json:"locations"`
		Fingerprints map[string]string  `json:"partialFingerprints"`
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical  `json:"physicalLocation"`
		LogicalLocations []sarifLogical `json:"logicalLocations"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Justification string `json:"justification"`
	}
)

// SARIF writes all reports as one log. version is that of the command.
func SARIF(w io.Writer, reports []*lint.Report, version string) error {
	rules := lint.Rules()
	driver := sarifDriver{Name: "stanch", Version: version, InformationURI: "https://github.com/stanch-go/stanch", Rules: []sarifRule{}}
	for _, r := range rules {
		driver.Rules = append(driver.Rules, sarifRule{
			ID: r.Code, ShortDescription: sarifText{Text: r.Title}, FullDescription: sarifText{Text: r.Why},
			Help:                 sarifText{Text: r.Why, Markdown: examples(r)},
			DefaultConfiguration: sarifConfiguration{level(r.Severity)},
		})
	}
	results := []sarifResult{}
	for _, report := range reports {
		for _, f := range report.Findings {
			results = append(results, sarifOf(f, slices.IndexFunc(rules, func(r *lint.Rule) bool { return r.Code == f.Rule.Code })))
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{{Tool: sarifTool{driver}, ColumnKind: "unicodeCodePoints", Results: results}},
	})
}

func sarifOf(f lint.Finding, index int) sarifResult {
	r := sarifResult{
		RuleID: f.Rule.Code, RuleIndex: index, Level: level(f.Rule.Severity),
		Message: sarifText{Text: fmt.Sprintf("%s: %s. Fix: %s.", f.Path, f.Text, f.Remedy)},
		Locations: []sarifLocation{{
			PhysicalLocation: sarifPhysical{sarifArtifact{uri(f.File)}, sarifRegion{max(1, f.Line), max(1, f.Column)}},
			LogicalLocations: []sarifLogical{{f.Path}},
		}},
		// The path stays when lines move, so that an old finding is known again.
		Fingerprints: map[string]string{"stanch/v1": f.Rule.Code + " " + f.Path},
	}
	if f.Allowed != "" {
		r.Suppressions = []sarifSuppression{{"inSource", f.Allowed}}
	}
	return r
}

func level(s lint.Severity) string {
	if s == lint.Info {
		return "note"
	}
	return string(s)
}

// uri is the reference to a file: relative where the file's name is.
func uri(file string) string {
	u := url.URL{Path: filepath.ToSlash(file)}
	if !filepath.IsAbs(file) {
		return u.String()
	}
	return "file://" + u.EscapedPath()
}

package report

import (
	"encoding/json"
	"io"

	"github.com/stanch-go/stanch/lint"
)

// result is the JSON form of a report. Names are only ever added.
type result struct {
	File     string         `json:"file"`
	Hash     string         `json:"hash"`
	Counts   counts         `json:"counts"`
	Findings []finding      `json:"findings"`
	Sums     []lint.Sums    `json:"sums"`
	Inbound  *lint.Intake   `json:"inbound,omitempty"` // without the section it is not there
	Unknown  []lint.Unknown `json:"unknown"`
}

type finding struct {
	Code       string        `json:"code"`
	Severity   lint.Severity `json:"severity"`
	Title      string        `json:"title"`
	File       string        `json:"file"`
	Line       int           `json:"line"`
	Column     int           `json:"column"`
	Path       string        `json:"path"`
	Dependency string        `json:"dependency,omitempty"`
	Message    string        `json:"message"`
	Remedy     string        `json:"remedy"`
	Allowed    string        `json:"allowed,omitempty"` // the reason that the file gives
}

// JSON writes a report as one object on a line of its own, so that several
// reports make a stream.
func JSON(w io.Writer, r *lint.Report) error {
	out := result{
		File: r.Policy.Path, Hash: r.Policy.Hash, Counts: count(r.Findings),
		Findings: []finding{}, Sums: r.Sums, Inbound: r.Inbound, Unknown: append([]lint.Unknown{}, r.Unknown...),
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, finding{
			Code: f.Rule.Code, Severity: f.Rule.Severity, Title: f.Rule.Title,
			File: f.File, Line: f.Line, Column: f.Column, Path: f.Path, Dependency: f.Dependency,
			Message: f.Text, Remedy: f.Remedy, Allowed: f.Allowed,
		})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // texts have < and > in them
	return e.Encode(out)
}

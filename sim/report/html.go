package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/stanch-go/stanch/internal/plot"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// HTML writes a page with the figures, charts over time, the expectations and
// the text of each scenario. It is complete in itself: it loads nothing and has
// no script.
func HTML(w io.Writer, played []Played) error {
	var d pageData
	for i, p := range played {
		id := fmt.Sprintf("s%d", i)
		s := section{
			ID: id, Played: p, Table: newTable(p), Panels: panels(id, p),
			About: paragraphs(p.Scenario.About), Text: string(p.Scenario.Text),
		}
		for _, e := range p.Result.Expectations {
			s.Expected = append(s.Expected, expected{e.Text, number(e.Figure), e.Holds})
			if e.Holds {
				s.Held++
			}
		}
		d.Sections = append(d.Sections, s)
	}
	return page.Execute(w, d)
}

type pageData struct{ Sections []section }

// Chart is the style of the charts.
func (pageData) Chart() template.CSS { return template.CSS(plot.Style) }

// Title is the name of the page.
func (d pageData) Title() string {
	if len(d.Sections) == 1 {
		return d.Sections[0].Result.Scenario
	}
	return fmt.Sprintf("%d scenarios", len(d.Sections))
}

type section struct {
	Played
	ID       string
	About    []string
	Table    table
	Panels   []panel
	Expected []expected
	Held     int
	Text     string
}

// Cut names the variant in which the run was interrupted.
func (s section) Cut() string {
	if n := len(s.Result.Variants); s.Result.Interrupted && n > 0 {
		return s.Result.Variants[n-1].Name
	}
	return ""
}

// Failed is how many expectations do not hold.
func (s section) Failed() int { return len(s.Expected) - s.Held }

type expected struct {
	Text, Figure string
	Holds        bool
}

func paragraphs(text string) []string {
	var out []string
	for p := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

package report_test

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/sim/report"
)

func page(t *testing.T, played ...report.Played) string {
	t.Helper()
	var b strings.Builder
	if err := report.HTML(&b, played); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page is well-formed, its ids are unique and every reference to one has
// its target.
func TestPageWellFormed(t *testing.T) {
	text := page(t, stall(t, "waits", "degrades", "fails"), stall(t, "again"))
	ids, refs := map[string]bool{}, map[string]bool{}
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		element, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range element.Attr {
			switch a.Name.Local {
			case "id":
				if ids[a.Value] {
					t.Errorf("id %q twice", a.Value)
				}
				ids[a.Value] = true
			case "aria-labelledby":
				for id := range strings.FieldsSeq(a.Value) {
					refs[id] = true
				}
			case "href":
				refs[strings.TrimPrefix(a.Value, "#")] = true
			}
		}
	}
	for id := range refs {
		if !ids[id] {
			t.Errorf("there is no element %q", id)
		}
	}
	if len(refs) == 0 {
		t.Error("no references were seen")
	}
}

// The page loads nothing: it works from a mail and without a network.
func TestPageLoadsNothing(t *testing.T) {
	text := page(t, stall(t, "waits", "degrades", "fails"))
	if found := regexp.MustCompile(`(?i)https?://|src\s*=|<script|<link|@import|url\(`).FindString(text); found != "" {
		t.Errorf("the page has %q", found)
	}
}

// What a file says is shown, not obeyed.
func TestPageEscapes(t *testing.T) {
	text := page(t, stall(t, `<script>alert("x")</script>`, `" onload="x`))
	if strings.Contains(text, "<script>") || strings.Contains(text, `" onload="x`) {
		t.Error("a name becomes markup")
	}
	for _, want := range []string{"&lt;b&gt;then&lt;/b&gt;", "Second paragraph &amp; more."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
}

// Everything that was asked for is there.
func TestPageParts(t *testing.T) {
	text := page(t, stall(t, "waits", "degrades", "fails"))
	for _, want := range []string{
		"<h2>Answers</h2>", "<h2>Latency</h2>", "<h2>Breaker</h2>", "<h2>In flight</h2>", "<h2>Queue</h2>",
		"4.0 s without an answer", "db opened once, for 4.00 s", "db never opened", "1 of 2 expectations do not hold",
		"prefers-color-scheme: dark", "(990)", "virtual time, seed 7", "queue: 5, calls: [db]",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	if n := strings.Count(text, "<svg"); n != 15 {
		t.Errorf("%d charts, want 5 for each of 3 variants", n)
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "ZgotmplZ") {
		t.Error("a figure has no number")
	}
}

// A page of a run that was interrupted at once is a page.
func TestPageEmpty(t *testing.T) {
	p := stall(t, "waits")
	p.Result.Variants, p.Result.Expectations, p.Result.Interrupted = nil, nil, true
	if text := page(t, p); !strings.Contains(text, "</html>") {
		t.Error(text)
	}
}

// A player that keeps no series still has figures to show.
func TestWithoutSeries(t *testing.T) {
	p := stall(t, "waits", "degrades")
	p.Result.Variants[0].Series = nil
	if got := page(t, p); strings.Contains(got, "NaN") || strings.Count(got, "<svg") != 10 {
		t.Error("the variant with a series is not drawn beside the one without")
	}
	text(t, p, report.TextOptions{})
	p.Result.Variants[1].Series = nil
	if got := page(t, p); strings.Contains(got, "<svg") || !strings.Contains(got, "<h2 id=\"s0-figures\">") {
		t.Error("without any series there is a table and no chart")
	}
	if got := text(t, p, report.TextOptions{}); strings.Contains(got, "over time") {
		t.Error("a timeline of nothing")
	}
}

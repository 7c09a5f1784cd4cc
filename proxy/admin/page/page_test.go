package page_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/adaptive"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/proxy"
	"github.com/stanch-go/stanch/proxy/admin/history"
	"github.com/stanch-go/stanch/proxy/admin/page"
	"github.com/stanch-go/stanch/shed"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// fixed is a snapshot made by hand: a dependency that stalled half a minute ago,
// one that does nothing, and the service itself. Names say what markup would.
func fixed() page.Data {
	d := page.Data{Service: "news & <b>more</b>", Policy: "version: 1 # <script>alert(1)</script>\n"}
	s := &d.Status
	s.At, s.Since = noon, noon.Add(-26*time.Hour)
	s.Policy.Path, s.Policy.Hash, s.Policy.Since = "policy.yaml", "0123456789ab", noon.Add(-time.Hour)
	s.Policy.Fault, s.Policy.FaultAt = "policy.yaml:3:7: dependencies.shop: <b>", noon.Add(-time.Minute)
	s.Egress = &proxy.ListenerStatus{Address: "127.0.0.1:15001", Connections: 3, Most: 100, Requests: 1}
	s.Undeclared = 4
	s.Dependencies = []proxy.DependencyStatus{
		{
			Name: "shop", Breaker: "open", InFlight: 2, Tunnels: 1, Balance: new(0.5),
			Bulkhead: &bulkhead.Stats{Limit: 5, InFlight: 5, Waiting: 2},
			Fault:    &proxy.Fault{Hang: true, Share: 0.5, Until: noon.Add(time.Minute)},
		},
		{Name: "idle"},
		{Name: "news", Local: true, Bulkhead: &bulkhead.Stats{Limit: 9}},
	}
	s.Inbound = &proxy.InboundStatus{Service: "news & <b>more</b>", Stats: inbound.Stats{
		Shed:     shed.Stats{Limit: 9, InFlight: 9, Waiting: 3, Shedding: true, Priority: shed.SheddablePlus, Level: 65},
		Adaptive: &adaptive.Stats{Limit: 9, Reason: adaptive.Queued},
	}}
	s.Inbound.Counts.Requests = []inbound.Count{
		{Step: inbound.Admitted, Priority: shed.Sheddable, Requests: 1}, {Step: inbound.Admitted, Priority: shed.CriticalPlus, Requests: 4},
		{Step: inbound.Refused, Reason: stanch.ErrRateLimited, By: "tenant", Requests: 7},
		{Step: inbound.Refused, Reason: stanch.ErrShed, Priority: shed.Sheddable, Requests: 8},
	}
	d.Events = []proxy.Event{
		{Number: 1, At: noon.Add(-time.Hour), Kind: proxy.KindReload, Text: "shop: new"},
		{Number: 2, At: noon.Add(-20 * time.Second), Kind: proxy.KindTransition, Dependency: "shop", From: "closed", To: "open", Text: "breaker closed -> open"},
		{Number: 3, At: noon.Add(-time.Second), Kind: proxy.KindRejected, Text: "policy.yaml:3:7: <img src=x onerror=alert(1)>"},
	}
	d.Now = func(key string) history.Now {
		if key == "shop" {
			return history.Now{Rate: 123.456, Live: 0.25, Degraded: 0.7, P50: 12.34, P99: 2345}
		}
		return history.Now{Live: math.NaN(), Degraded: math.NaN(), P50: math.NaN(), P99: math.NaN()}
	}
	d.Series = func(key string) history.Series { return series(key == "shop") }
	return d
}

func series(busy bool) history.Series {
	s := history.Series{Span: time.Minute}
	constant := func(x float64) []float64 {
		values := make([]float64, 60)
		for i := range values {
			values[i] = x
		}
		return values
	}
	for range history.Sources {
		s.Answers = append(s.Answers, constant(0))
	}
	for range history.Reasons {
		s.Refused = append(s.Refused, constant(0))
	}
	if !busy {
		s.P50, s.P99, s.InFlight = constant(math.NaN()), constant(math.NaN()), constant(math.NaN())
		return s
	}
	s.P50, s.P99, s.InFlight = constant(10), constant(20), constant(2)
	for i := range 60 {
		switch {
		case i < 10:
			s.P50[i], s.P99[i], s.InFlight[i] = math.NaN(), math.NaN(), math.NaN()
		case i < 40:
			s.Answers[0][i] = 100
		default:
			s.Answers[1][i], s.Answers[5][i], s.Refused[0][i] = 80, 20, 100
			s.P50[i], s.P99[i] = 900, 1000
		}
	}
	s.States = []history.Stretch{{From: 10 * time.Second, To: 40 * time.Second, State: "closed"}, {From: 40 * time.Second, To: time.Minute, State: "open"}}
	s.Faults = []history.Stretch{{From: 40 * time.Second, To: time.Minute, State: "fault"}}
	return s
}

func write(t *testing.T, d page.Data) string {
	t.Helper()
	var b strings.Builder
	if err := page.Write(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// An element is what a test wants to know of one.
type element struct {
	name string
	attr map[string]string
}

// elements reads the page as XML, which is stricter than HTML.
func elements(t *testing.T, text string) []element {
	t.Helper()
	var all []element
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			e := element{start.Name.Local, map[string]string{}}
			for _, a := range start.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			all = append(all, e)
		}
	}
}

func TestGolden(t *testing.T) {
	got := write(t, fixed())
	_, body, _ := strings.Cut(got, "</style>") // what is before it changes with every colour
	body, _, _ = strings.Cut(body, "<script>")
	file := filepath.Join("testdata", "page.golden")
	golden.Check(t, file, body)
	if strings.Contains(got, "NaN") || strings.Contains(got, "Inf") || strings.Contains(got, "ZgotmplZ") {
		t.Error("a figure has no number")
	}
}

// The page is well-formed, its ids are unique and every reference has its target.
func TestWellFormed(t *testing.T) {
	ids, refs := map[string]bool{}, map[string]bool{}
	for _, e := range elements(t, write(t, fixed())) {
		for name, value := range e.attr {
			switch {
			case name == "id" && ids[value]:
				t.Errorf("id %q twice", value)
			case name == "id":
				ids[value] = true
			case name == "aria-labelledby":
				for id := range strings.FieldsSeq(value) {
					refs[id] = true
				}
			case name == "href" && strings.HasPrefix(value, "#"):
				refs[value[1:]] = true
			}
		}
	}
	for id := range refs {
		if !ids[id] {
			t.Errorf("there is no element %q", id)
		}
	}
	if len(refs) < 10 {
		t.Error("no references were seen")
	}
}

// Somebody who does not see it, or has no mouse, can use it.
func TestAccessible(t *testing.T) {
	landmarks, inLabel := map[string]int{}, 0
	text := write(t, fixed())
	for _, e := range elements(t, text) {
		landmarks[e.name]++
		switch e.name {
		case "input", "select":
			if e.attr["type"] != "hidden" {
				inLabel++
			}
		case "th":
			if e.attr["scope"] == "" {
				t.Errorf("a header of a table without scope: %v", e.attr)
			}
		case "svg":
			if e.attr["role"] != "img" || e.attr["aria-labelledby"] == "" {
				t.Errorf("a chart without a name: %v", e.attr)
			}
		case "pre", "div":
			if class := e.attr["class"]; (strings.Contains(class, "scroll") || class == "policy") && (e.attr["tabindex"] != "0" || e.attr["role"] != "region" || e.attr["aria-labelledby"] == "") {
				t.Errorf("what can be scrolled cannot be reached: %v", e.attr)
			}
		case "html":
			if e.attr["lang"] == "" {
				t.Error("the page has no language")
			}
		case "a", "button":
			if _, live := e.attr["data-live"]; live {
				t.Error("the focus would be lost when it is brought up to date")
			}
		}
	}
	for _, name := range []string{"header", "nav", "main", "footer", "h1"} {
		if landmarks[name] != 1 {
			t.Errorf("%d elements %s", landmarks[name], name)
		}
	}
	if inLabel != landmarks["label"] || inLabel == 0 {
		t.Errorf("%d labels for %d fields", landmarks["label"], inLabel)
	}
	if landmarks["table"] != landmarks["caption"] || landmarks["form"] != landmarks["legend"] {
		t.Error("a table without a caption, or a form without a legend")
	}
	for _, want := range []string{`aria-live="polite" aria-atomic="true"><span class="bad">Breakers: shop is open.</span>`, `class="skip" href="#dependencies"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

// The page works without a network: it loads nothing, and says so to the browser.
func TestLoadsNothing(t *testing.T) {
	text := write(t, fixed())
	if found := regexp.MustCompile(`(?i)https?://|src\s*=\s*"|@import|url\(|<link rel="stylesheet|\son\w+="|style="`).FindString(text); found != "" {
		t.Errorf("the page has %q", found)
	}
	for _, name := range []string{"style", "script"} {
		inside := regexp.MustCompile(`(?s)<`+name+`>(.*?)</`+name+`>`).FindAllStringSubmatch(text, -1)
		if len(inside) != 1 {
			t.Fatalf("%d elements %s", len(inside), name)
		}
		sum := sha256.Sum256([]byte(inside[0][1]))
		if hash := base64.StdEncoding.EncodeToString(sum[:]); !strings.Contains(page.Policy, name+"-src 'sha256-"+hash+"'") {
			t.Errorf("the browser is not told to trust this %s: %s", name, page.Policy)
		}
	}
}

// What a policy, a name or an error says is shown, not obeyed.
func TestEscapes(t *testing.T) {
	text := write(t, fixed())
	for _, bad := range []string{"<b>", "<img", "<script>alert"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s becomes markup", bad)
		}
	}
	var b strings.Builder
	if err := page.WriteProblem(&b, "Bad Request", `kind: is "<b>"`); err != nil {
		t.Fatal(err)
	}
	elements(t, b.String())
	if strings.Contains(b.String(), "<b>") {
		t.Error(b.String())
	}
}

func TestParts(t *testing.T) {
	text := write(t, fixed())
	for _, want := range []string{
		"live 60 %, last_good 32 %, none 8 % in 1m.", "Open for 20s of 1m", "p99 at most 1s.", "123</td>", "2.35s", "5 of 5, 2 wait",
		"policy.yaml:3:7: dependencies.shop", "2026-02-28 10:00:00", "Refused: 4 to what the policy does not declare", "news (behind the ingress)",
		"prefers-color-scheme: dark", "No calls in 1m.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	if n := strings.Count(text, "<svg"); n != 13 {
		t.Errorf("%d charts, want 4 for each dependency and one for the breaker", n)
	}
	if strings.Contains(text, `action="/faults/news"`) || !strings.Contains(text, `action="/faults/idle"`) || strings.Contains(text, `action="/breaker/idle"`) {
		t.Error("commands that there are not are offered, or the other way round")
	}
	if strings.Index(text, "img src=x") > strings.Index(text, "breaker closed -&gt; open") {
		t.Error("the newest event is not the first")
	}
}

// A sidecar that has just begun, with nothing declared, has a page.
func TestEmpty(t *testing.T) {
	d := fixed()
	d.Status, d.Events, d.Service = proxy.Status{At: noon, Draining: true}, nil, ""
	text := write(t, d)
	elements(t, text)
	for _, want := range []string{"<h1>Stanch sidecar</h1>", "Nothing has happened.", "The policy declares none", "There are no breakers.", "Draining"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
}

// The log of the page is bounded.
func TestLongLog(t *testing.T) {
	d := fixed()
	for range 1000 {
		d.Events = append(d.Events, proxy.Event{At: noon, Kind: proxy.KindFault, Text: "cleared"})
	}
	if n := strings.Count(write(t, d), "<td>cleared</td>"); n != 100 {
		t.Errorf("%d events", n)
	}
}

func BenchmarkWrite(b *testing.B) {
	d := fixed()
	for b.Loop() {
		if err := page.Write(io.Discard, d); err != nil {
			b.Fatal(err)
		}
	}
}

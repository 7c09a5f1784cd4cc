// Package page draws the sidecar's page: what each dependency does now and did in
// the last minutes, what has happened, the policy, and the commands.
//
// It is one document that loads nothing, with charts drawn here. A script keeps
// it up to date; without one it is loaded again from time to time.
package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/stanch-go/stanch/internal/plot"
	"github.com/stanch-go/stanch/proxy"
	"github.com/stanch-go/stanch/proxy/admin/history"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	ownStyle string
	//go:embed page.js
	script string

	page  = template.Must(template.New("page").Parse(pageText))
	style = plot.Style + ownStyle
)

// Policy is the Content-Security-Policy of the page: its own style and script, by
// their hashes, forms and requests to where it comes from, and nothing else.
var Policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; connect-src 'self'; form-action 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'", hash(style), hash(script))

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Data is all that the page shows.
type Data struct {
	Service string // the name of the guarded service; may be empty
	Status  proxy.Status
	// Now and Series say what a dependency, by its history.Key, does and did.
	Now    func(key string) history.Now
	Series func(key string) history.Series
	Events []proxy.Event // in order
	Policy string        // the policy in force, as text
	Paused bool          // the page is not kept up to date
}

// shownEvents is how many events the page has.
const shownEvents = 100

// Write writes the page.
func Write(w io.Writer, d Data) error {
	m := model{Data: d}
	for i, s := range d.Status.Dependencies {
		key := history.Key(s)
		m.Views = append(m.Views, view{
			Status: s, Name: s.Name, ID: fmt.Sprintf("d%d", i), Commands: !s.Local,
			Cells: cells(s, d.Now(key)), Charts: charts(fmt.Sprintf("d%d", i), s.Breaker != "", d.Series(key)),
		})
		if s.Local {
			m.Views[i].Name += " (behind the ingress)"
		}
	}
	return page.Execute(w, m)
}

type model struct {
	Data
	Views []view
}

// A view is one dependency.
type view struct {
	Status   proxy.DependencyStatus
	Name, ID string
	Commands bool
	Cells    []cell
	Charts   []chart
}

func (m model) Style() template.CSS { return template.CSS(style) }
func (m model) Script() template.JS { return template.JS(script) }

// Title is the name of the page.
func (m model) Title() string {
	if m.Service == "" {
		return "Stanch sidecar"
	}
	return "Stanch sidecar of " + m.Service
}

// Listeners tells where the sidecar listens.
func (m model) Listeners() []string {
	var all []string
	for _, l := range []struct {
		name string
		*proxy.ListenerStatus
	}{{"Egress", m.Status.Egress}, {"Ingress", m.Status.Ingress}} {
		if l.ListenerStatus != nil {
			all = append(all, fmt.Sprintf("%s on %s: %d of %d connections, %d requests in flight", l.name, l.Address, l.Connections, l.Most, l.Requests))
		}
	}
	for _, refused := range []struct {
		n    uint64
		what string
	}{{m.Status.Undeclared, "to what the policy does not declare"}, {m.Status.Loops, "that had come back to the sidecar"}} {
		if refused.n > 0 {
			all = append(all, fmt.Sprintf("Refused: %d %s", refused.n, refused.what))
		}
	}
	return all
}

// open lists the dependencies whose breaker lets nothing or little through.
func (m model) open() []string {
	var all []string
	for _, s := range m.Status.Dependencies {
		if s.Breaker == "open" || s.Breaker == "half-open" || s.Breaker == "forced-open" {
			all = append(all, s.Name+" is "+s.Breaker)
		}
	}
	return all
}

// Open reports whether there is any.
func (m model) Open() bool { return len(m.open()) > 0 }

// Breakers tells the state of all breakers in one sentence, which is read out
// when it changes.
func (m model) Breakers() string {
	if open := m.open(); len(open) > 0 {
		return "Breakers: " + strings.Join(open, ", ") + "."
	}
	if slices.ContainsFunc(m.Status.Dependencies, func(s proxy.DependencyStatus) bool { return s.Breaker != "" }) {
		return "All breakers are closed."
	}
	return "There are no breakers."
}

// Log is the events that are shown, the newest first.
func (m model) Log() []proxy.Event {
	last := slices.Clone(m.Events[max(0, len(m.Events)-shownEvents):])
	slices.Reverse(last)
	return last
}

// Moment writes an instant: the time, and the day where it is another one.
func (m model) Moment(t time.Time) template.HTML {
	t = t.In(m.Status.At.Location())
	format := time.TimeOnly
	if t.Format(time.DateOnly) != m.Status.At.Format(time.DateOnly) {
		format = time.DateTime
	}
	return template.HTML(fmt.Sprintf(`<time datetime="%s">%s</time>`, t.Format(time.RFC3339), t.Format(format)))
}

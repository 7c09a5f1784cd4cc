package screen

import (
	"fmt"
	"io"
	"strings"

	"github.com/stanch-go/stanch/internal/demo"
)

// Summary writes the two services side by side, and the policy that did it.
func Summary(w io.Writer, r demo.Report, colour bool) error {
	s := summary{Report: r, theme: newTheme(colour)}
	s.head()
	s.table()
	s.strips()
	s.policy()
	_, err := io.WriteString(w, s.String())
	return err
}

type summary struct {
	strings.Builder
	demo.Report
	theme theme
}

func (s *summary) put(format string, args ...any) { fmt.Fprintf(s, format, args...) }

func (s *summary) head() {
	if s.Early {
		s.put("Ended after %s of %s. The figures so far:\n", short(s.Elapsed), short(s.Config.Duration))
		return
	}
	s.put("The dependency stalled for %s.\n", short(s.Config.Stall))
	for _, of := range s.services() {
		words, style := verdict(of.Service), s.theme.bad
		if of.Served() {
			style = s.theme.live
		}
		s.put("%s\n", style.Render(of.name+" "+words+"."))
	}
	if s.Late >= s.Config.Tick/4 {
		s.put("This machine was busy with other things: users came up to %s late.\nTry it again, or with --rate 50.\n", short(s.Late))
	}
}

// verdict says how the users of a service fared.
func verdict(s demo.Service) string {
	if s.Served() {
		return "answered every user"
	}
	var faults []string
	if s.Silence > 0 {
		faults = append(faults, "answered nobody for "+short(s.Silence))
	}
	if n := s.Failed + s.GaveUp + s.Waiting; n > 0 {
		faults = append(faults, fmt.Sprintf("left %d users without an answer", n))
	}
	if len(faults) == 0 {
		return "had no users"
	}
	return strings.Join(faults, ", ")
}

type named struct {
	name string
	demo.Service
}

func (s *summary) services() []named { return []named{{"bare", s.Bare}, {"guarded", s.Guarded}} }

func (s *summary) table() {
	rows := []struct {
		label string
		of    func(demo.Service) string
	}{
		{"answered", func(s demo.Service) string { return fmt.Sprint(s.Live) }},
		{"degraded, by fallback", func(s demo.Service) string { return fmt.Sprint(s.Degraded) }},
		{"failed", func(s demo.Service) string { return fmt.Sprint(s.Failed) }},
		{"gave up, or still waiting", func(s demo.Service) string { return fmt.Sprint(s.GaveUp + s.Waiting) }},
		{"waited, p50", func(s demo.Service) string { return some(s.P50) }},
		{"waited, p99", func(s demo.Service) string { return some(s.P99) }},
		{"seconds without an answer", func(s demo.Service) string { return fmt.Sprintf("%.1f", s.Silence.Seconds()) }},
		{"calls to the dependency", func(s demo.Service) string { return fmt.Sprint(s.Calls) }},
		{"  most at once", func(s demo.Service) string { return fmt.Sprint(s.Peak) }},
	}
	s.put("\n%27s  %s  %s\n", "", s.theme.strong.Render("   bare"), s.theme.strong.Render("guarded"))
	for _, r := range rows {
		s.put("  %-25s  %7s  %7s\n", r.label, r.of(s.Bare), r.of(s.Guarded))
	}
}

// strips draws the answers of each second, one service below the other.
func (s *summary) strips() {
	ticks := int(s.Config.Duration / s.Config.Tick)
	c := chart{theme: s.theme, rows: 2, columns: max(1, min(3, 60/ticks)), full: 2 * s.Config.Rate}
	s.put("\nAnswers a second (%s live, %s fallback, %s nobody)\n\n",
		s.theme.live.Render("█"), s.theme.degraded.Render(string(degradedRune)), s.theme.bad.Render(string(nobodyRune)))
	for _, of := range s.services() {
		lines := c.lines(of.Ticks)
		if top := strings.TrimRight(lines[0], " "); top != "" {
			s.put("%11s%s\n", "", top)
		}
		s.put("  %s\n", strings.TrimRight(pad(of.name, 9)+lines[1], " "))
	}
	s.put("%11s%s\n", "", axis{s.theme, c.columns, ticks}.labels(s.Config))
}

func (s *summary) policy() {
	s.put("\nThe policy that did it; stanch check and stanch run -c take it as it is\n\n%s\nThe same as Go, for a service that uses the library\n\n%s\n",
		indented(s.Policy), indented(demo.PolicyGo))
	if !s.Held {
		s.put("The sidecar's page was %s until now.\n\n", s.Page)
	}
	s.put("Next\n\n  %-35s  your own figures, in virtual time\n", "stanch sim scenarios/a-timeout.yaml")
	if !s.Held {
		s.put("  %-35s  the page stays until you end it\n", "stanch demo --hold")
	}
}

func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

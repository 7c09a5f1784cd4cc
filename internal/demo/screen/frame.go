package screen

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/stanch-go/stanch/internal/demo"
)

// margin is the room for the scale, to the left of the charts.
const margin = 6

// A frame draws one moment for a terminal of a size.
type frame struct {
	theme         theme
	width, height int
}

func (f frame) draw(r demo.Report) string {
	ticks := int(r.Config.Duration / r.Config.Tick)
	c := chart{
		theme:   f.theme,
		rows:    min(max((f.height-16)/4*2, 2), 10), // an even number: half of it is the rate
		columns: max((f.width-margin-2)/ticks, 1),
		full:    2 * r.Config.Rate,
	}
	lines := []string{
		f.ends(f.theme.strong.Render("stanch demo")+f.theme.faint.Render(fmt.Sprintf("  %d users a second come to each of two services", r.Config.Rate)),
			fmt.Sprintf("%s of %s", short(r.Elapsed.Truncate(r.Config.Tick)), short(r.Config.Duration))),
		f.happening(r),
		"",
	}
	lines = append(lines, f.service(c, r.Config, "bare", "http.Client without a timeout", r.Bare)...)
	lines = append(lines, "")
	lines = append(lines, f.service(c, r.Config, "guarded", "the same, through the sidecar", r.Guarded)...)
	lines = append(lines, "")
	lines = append(lines, axis{f.theme, c.columns, ticks}.lines(r)...)
	lines = append(lines, "", f.ends(f.legend(), f.theme.faint.Render("q ends it")))
	if r.Page != "" {
		lines = append(lines, "the sidecar's page, in a browser: "+f.theme.strong.Render(r.Page))
	}
	return strings.Join(lines, "\n")
}

func (f frame) happening(r demo.Report) string {
	style := f.theme.strong
	if r.Held {
		return style.Render("It is over. Users go on coming to guarded: set a fault on the page and see.")
	}
	if r.Config.Stalls(r.Elapsed) {
		style = f.theme.bad.Bold(style.GetBold())
	}
	words := weather(r.Config, r.Elapsed)
	if r.Elapsed >= r.Config.StallAt+r.Config.Stall && r.Bare.Quiet >= r.Config.Tick/2 {
		words = "the dependency is well again; bare still waits for its old calls"
	}
	return style.Render(fmt.Sprintf("Second %d: %s.", int(r.Elapsed/r.Config.Tick), words))
}

// service draws one service: its name, its answers over time, its figures.
func (f frame) service(c chart, cfg demo.Config, name, what string, s demo.Service) []string {
	words, m := state(cfg, s)
	lines := []string{f.ends(
		f.theme.strong.Render(pad(name, 9))+f.theme.faint.Render(what),
		f.theme.of(m).Render(words))}
	for i, bars := range c.lines(s.Ticks) {
		scale := ""
		switch i {
		case 0:
			scale = fmt.Sprint(c.full)
		case c.rows / 2:
			scale = fmt.Sprint(c.full / 2)
		}
		lines = append(lines, f.theme.faint.Render(pad(scale, 1-margin))+" "+bars)
	}
	breaker := s.Breaker
	if breaker == "" {
		breaker = "none"
	}
	return append(lines, fmt.Sprintf("%*s%s  %s  p99 of last second %s  breaker %s", margin, "",
		pad(fmt.Sprintf("at work %d of %d", s.Working, cfg.Workers), 16),
		pad(fmt.Sprintf("queued %d", s.Queued), 11),
		pad(some(s.Last().P99), 5), breaker))
}

func (f frame) legend() string {
	return fmt.Sprintf("answers a second: %s live  %s fallback  %s nobody",
		f.theme.live.Render("█"), f.theme.degraded.Render(string(degradedRune)), f.theme.bad.Render(string(nobodyRune)))
}

// ends puts one text at the left and one at the right end of a line.
func (f frame) ends(left, right string) string {
	gap := f.width - 1 - lipgloss.Width(left) - lipgloss.Width(right)
	return left + strings.Repeat(" ", max(2, gap)) + right
}

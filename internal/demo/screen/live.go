package screen

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stanch-go/stanch/internal/demo"
)

// refresh is how often what is shown changes.
const refresh = 100 * time.Millisecond

// Live plays the incident and shows it on a terminal until it is over, ctx ends
// or somebody ends it with a key.
func Live(ctx context.Context, cfg demo.Config, in io.Reader, out io.Writer, colour bool) (demo.Report, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	first := frame{newTheme(colour), 80, 24} // until the terminal says its size
	p := tea.NewProgram(view{frame: first, report: demo.Report{Config: cfg}, end: end},
		tea.WithInput(in), tea.WithOutput(out), tea.WithWindowSize(first.width, first.height),
		tea.WithoutSignalHandler()) // a signal ends ctx
	var last demo.Report
	var failed error
	over := make(chan struct{})
	go func() {
		defer close(over)
		last, failed = demo.Run(ctx, cfg, refresh, func(r demo.Report) { p.Send(r) })
		p.Quit()
	}()
	_, err := p.Run()
	end() // when the terminal failed
	<-over
	return last, errors.Join(err, failed)
}

// view is what bubbletea shows: the last report.
type view struct {
	frame
	report demo.Report
	end    func() // the demonstration, which then ends the program
}

func (v view) Init() tea.Cmd { return nil }

func (v view) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch m := message.(type) {
	case demo.Report:
		v.report = m
	case tea.WindowSizeMsg:
		v.width, v.height = m.Width, m.Height
	case tea.KeyPressMsg:
		switch m.String() {
		case "q", "esc", "ctrl+c":
			v.end()
		}
	}
	return v, nil
}

func (v view) View() tea.View {
	shown := tea.NewView(v.draw(v.report))
	shown.AltScreen = true
	return shown
}

package screen

import (
	"context"
	"fmt"
	"io"

	"github.com/stanch-go/stanch/internal/demo"
)

// Plain plays the incident and writes a line for every stretch of time, and one
// when the dependency changes. It ends when it cannot write any more.
func Plain(ctx context.Context, cfg demo.Config, w io.Writer) (demo.Report, error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	p := plain{w: w, end: end}
	r, err := demo.Run(ctx, cfg, min(refresh, cfg.Tick/4), p.show)
	if err != nil {
		return r, err
	}
	p.show(r)
	p.put("\n")
	return r, p.failed
}

type plain struct {
	w       io.Writer
	end     func() // the demonstration
	begun   bool
	shown   int // stretches of time
	weather string
	held    bool
	failed  error
}

func (p *plain) put(format string, args ...any) {
	if _, err := fmt.Fprintf(p.w, format, args...); err != nil && p.failed == nil {
		p.failed = err
		p.end()
	}
}

func (p *plain) head(r demo.Report) {
	p.put("For %s, %d users a second come to each of two services.\n", short(r.Config.Duration), r.Config.Rate)
	p.put("The sidecar's page, in a browser: %s\n\n", r.Page)
	p.put("        bare                      guarded\n")
	p.put("second  answers  queued    p99    live  fallback    p99  breaker\n")
}

func (p *plain) show(r demo.Report) {
	if !p.begun {
		p.begun = true
		p.head(r)
	}
	for ; p.shown < len(r.Bare.Ticks); p.shown++ {
		b, g := r.Bare.Ticks[p.shown], r.Guarded.Ticks[p.shown]
		p.put("%6d  %7d  %6d  %5s    %4d  %8d  %5s  %s\n", p.shown,
			b.Answered(), r.Bare.Queued, some(b.P99), g.Live, g.Degraded, some(g.P99), r.Guarded.Breaker)
	}
	if now := weather(r.Config, r.Elapsed); now != p.weather {
		p.weather = now
		p.put("        -- %s\n", now)
	}
	if r.Held && !p.held {
		p.held = true
		p.put("        -- it is over; users go on coming to guarded, and the page stays, until Ctrl-C\n")
	}
}

package main

import (
	"context"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/stanch-go/stanch/sim"
)

// players are the ways to play a variant besides virtual time. A flag is there
// only for those that are set.
type players struct {
	// real plays in real time and reports now and then how far it is.
	real func(ctx context.Context, m *sim.Model, progress func(done, total time.Duration)) (sim.VariantResult, error)
}

// inRealTime makes the options play in real time, with a bar on w when that is
// a terminal.
func (p players) inRealTime(o *sim.Options, w io.Writer) {
	o.Mode = sim.Real
	variant := ""
	o.Progress = func(name string, _, _ int) { variant = name }
	o.Play = func(ctx context.Context, m *sim.Model) (sim.VariantResult, error) {
		if _, ok := terminal(w); !ok {
			return p.real(ctx, m, func(time.Duration, time.Duration) {})
		}
		bar := progressbar.NewOptions64(m.Duration.Milliseconds(),
			progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(variant),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(),
			progressbar.OptionFullWidth(), progressbar.OptionThrottle(100*time.Millisecond))
		defer func() { _ = bar.Clear() }() // the bar is no result: nothing hangs on it
		return p.real(ctx, m, func(done, total time.Duration) {
			bar.ChangeMax64(max(1, total.Milliseconds()))
			_ = bar.Set64(min(done, total).Milliseconds())
		})
	}
}

package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/stanch-go/stanch/internal/demo"
	"github.com/stanch-go/stanch/internal/demo/screen"
)

// demoFlags are the settings of "stanch demo".
type demoFlags struct {
	demo.Config
	plain, json bool
}

func newDemo() *cobra.Command {
	flags := demoFlags{Config: demo.Default()}
	c := &cobra.Command{
		Use:   "demo",
		Short: "See an incident for real, without and with protection",
		Long: `Run two services on loopback in this process, for twenty seconds. Both are the
same code: a plain http.Client calls a dependency of their own, which stalls for
three seconds. One calls it directly, the other through the sidecar, as by
"stanch run". Users come steadily to both; see who gets an answer. Nothing is
simulated, every figure is measured.

On a terminal it is shown live; q ends it. Otherwise, and with --plain, there is
a line for every second. The sidecar's page can be opened in a browser meanwhile;
with --hold it stays, and users go on coming, until q or Ctrl-C. At the end come
the figures and the policy.

Exit codes:
  0  the guarded service answered every user
  1  it did not
  2  the command line is faulty; nothing was run
  3  ended early; the figures so far were printed
  4  something else failed`,
		Example: `  stanch demo
  stanch demo --stall 6s --duration 30s
  stanch demo --json | jq '[.bare.silent_s, .guarded.silent_s]'`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return flags.run(c.Context(), c.InOrStdin(), c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.DurationVar(&flags.Duration, "duration", flags.Duration, "how long users come, 12s to 1m")
	f.IntVar(&flags.Rate, "rate", flags.Rate, "users a second at each service, 20 to 250")
	f.DurationVar(&flags.Stall, "stall", flags.Stall, "how long the dependency stalls, from 1s to 9s less than the duration")
	f.BoolVar(&flags.Hold, "hold", false, "keep the sidecar, its page and its users afterwards, until q or Ctrl-C")
	f.BoolVar(&flags.plain, "plain", false, "write a line for every second also on a terminal")
	f.BoolVar(&flags.json, "json", false, "write nothing but the figures, as one JSON object")
	c.MarkFlagsMutuallyExclusive("hold", "json")
	return c
}

func (f demoFlags) run(ctx context.Context, in io.Reader, out io.Writer) error {
	if err := f.Validate(); err != nil {
		return failed(exitInput, err)
	}
	r, err := f.play(ctx, in, out)
	if err == nil {
		err = f.conclude(out, r)
	}
	switch {
	case err != nil:
		return failed(exitFailed, err)
	case r.Early:
		return failed(exitInterrupted, nil)
	case !r.Guarded.Served():
		return failed(exitNotExpected, nil)
	}
	return nil
}

func (f demoFlags) play(ctx context.Context, in io.Reader, out io.Writer) (demo.Report, error) {
	switch {
	case f.json:
		return screen.Plain(ctx, f.Config, io.Discard)
	case f.plain || !interactive(in, out):
		return screen.Plain(ctx, f.Config, out)
	}
	return screen.Live(ctx, f.Config, in, out, textOptions(out).Colour)
}

// interactive reports whether there is a screen to draw on and a keyboard to
// end it with.
func interactive(in io.Reader, out io.Writer) bool {
	keyboard, ok := in.(*os.File)
	_, screen := terminal(out)
	return ok && screen && term.IsTerminal(int(keyboard.Fd())) && os.Getenv("TERM") != "dumb"
}

func (f demoFlags) conclude(out io.Writer, r demo.Report) error {
	if f.json {
		return screen.JSON(out, r)
	}
	return screen.Summary(out, r, textOptions(out).Colour)
}

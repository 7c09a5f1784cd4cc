package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stanch-go/stanch/lint"
	"github.com/stanch-go/stanch/lint/diff"
	"github.com/stanch-go/stanch/sim"
	"github.com/stanch-go/stanch/sim/report"
)

// diffFlags are the settings of "stanch diff".
type diffFlags struct {
	failOn   string
	markdown bool
	scenario string
	variant  string
}

func newDiff() *cobra.Command {
	var flags diffFlags
	c := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what a change of policy does, for the one who reviews it",
		Long: `Compare the policy files OLD and NEW. The first line is what a reviewer must not
miss; then come the sums that change, the rules that are newly broken or mended,
and the settings in force that change. With --sim both are played against a
scenario, side by side: the guards of the policy take the place of those in the
world of its first variant, or of the one named.

Exit codes:
  0  no rule is newly broken that is as grave as --fail-on says
  1  one is
  2  the command line or a file is faulty; nothing was compared
  3  interrupted; what there was so far was printed
  4  something else failed, such as writing`,
		Example: `  stanch diff old.yaml policy.yaml
  stanch diff --markdown old.yaml policy.yaml | gh pr comment --body-file -
  stanch diff --sim scenarios/a-timeout.yaml old.yaml policy.yaml
  git show main:policy.yaml > old.yaml && stanch diff old.yaml policy.yaml`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, files []string) error {
			return flags.run(c.Context(), c.OutOrStdout(), files)
		},
		ValidArgsFunction: completeYAML,
	}
	f := c.Flags()
	f.StringVar(&flags.failOn, "fail-on", string(lint.Warning), failOnHelp)
	f.BoolVar(&flags.markdown, "markdown", false, "write Markdown, for a comment on a change")
	f.StringVar(&flags.scenario, "sim", "", "play both against this scenario `file`")
	f.StringVar(&flags.variant, "variant", "", "take the world of the scenario's variant of this `name`")
	completeFlag(c, "fail-on", failOnValues())
	cobra.CheckErr(c.MarkFlagFilename("sim", "yaml", "yml"))
	return c
}

func (f diffFlags) run(ctx context.Context, out io.Writer, files []string) error {
	err := oneOf("fail-on", f.failOn, failOnValues())
	if err == nil && f.variant != "" && f.scenario == "" {
		err = errors.New("--variant needs --sim")
	}
	if err != nil {
		return failed(exitInput, err)
	}
	reports, err := checkAll(files)
	if err != nil {
		return failed(exitInput, err)
	}
	d := diff.Compare(reports[0], reports[1])
	var world *sim.Scenario
	if f.scenario != "" {
		if world, err = sideBySide(f.scenario, f.variant, reports); err != nil {
			return failed(exitInput, err)
		}
	}
	if f.markdown {
		err = d.Markdown(out)
	} else {
		err = d.Text(out)
	}
	if err != nil {
		return failed(exitFailed, err)
	}
	if world != nil {
		if err := f.play(ctx, out, world); err != nil {
			return err
		}
	}
	if breaks(d.Broken, f.failOn) {
		return failed(exitNotExpected, nil)
	}
	return nil
}

// play plays both worlds and writes their figures below the rest.
func (f diffFlags) play(ctx context.Context, out io.Writer, s *sim.Scenario) error {
	r, err := s.Play(ctx, sim.Options{})
	if err != nil {
		return failed(exitFailed, err)
	}
	var b bytes.Buffer
	o := textOptions(out)
	o.Colour = o.Colour && !f.markdown
	if err := report.Text(&b, report.Played{Scenario: s, Result: r}, o); err != nil {
		return failed(exitFailed, err)
	}
	before, after := "\n", ""
	if f.markdown {
		before, after = "\n```text\n", "```\n"
	}
	if _, err := fmt.Fprintf(out, "%s%s%s", before, b.Bytes(), after); err != nil {
		return failed(exitFailed, err)
	}
	if r.Interrupted {
		return failed(exitInterrupted, nil)
	}
	return nil
}

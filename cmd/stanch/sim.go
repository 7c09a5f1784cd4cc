package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/sim"
	"github.com/stanch-go/stanch/sim/report"
)

// simFlags are the settings of "stanch sim".
type simFlags struct {
	json     bool
	html     string
	seed     uint64
	variants []string
	real     bool
}

func newSim(p players) *cobra.Command {
	var flags simFlags
	c := &cobra.Command{
		Use:   "sim FILE...",
		Short: "Play incidents and check what is expected of them",
		Long: `Play each scenario FILE in virtual time: the same load against every variant,
guarded by the same code that runs in production. Printed are the figures of
the variants side by side, what happened over time, and whether the file's
expectations hold. The same file and seed give the same output to the byte.

` + exitHelp,
		Example: `  stanch sim scenarios/a-timeout.yaml
  stanch sim --variant full --seed 7 scenarios/a-timeout.yaml
  stanch sim --html report.html scenarios/*.yaml
  stanch sim --json scenarios/*.yaml | jq -c '[.scenario, .variants[].metrics.ok]'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			s := session{out: c.OutOrStdout(), err: c.ErrOrStderr(), players: p, flags: flags}
			if c.Flags().Changed("seed") {
				s.seed = &flags.seed
			}
			return s.sim(c.Context(), files)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	f := c.Flags()
	f.BoolVar(&flags.json, "json", false, "print one JSON object a line for each file instead of tables")
	f.StringVar(&flags.html, "html", "", "write a page with charts to this `file` as well")
	f.Uint64Var(&flags.seed, "seed", 0, "draw other random numbers than the files say")
	f.StringSliceVar(&flags.variants, "variant", nil, "play only the variant of this `name`; may be repeated")
	if p.real != nil {
		f.BoolVar(&flags.real, "real", false, "play in real time, with real goroutines and HTTP on loopback")
	}
	cobra.CheckErr(c.MarkFlagFilename("html", "html"))
	cobra.CheckErr(c.RegisterFlagCompletionFunc("variant", completeVariants))
	return c
}

// completeVariants offers the variants of the files that are already on the
// command line.
func completeVariants(_ *cobra.Command, files []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, file := range files {
		s, err := sim.ReadFile(file)
		if err != nil {
			continue
		}
		for _, v := range s.Variants {
			if !slices.Contains(names, v.Name) {
				names = append(names, v.Name)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// A session is one run of "stanch sim".
type session struct {
	out, err io.Writer
	players  players
	flags    simFlags
	seed     *uint64
}

func (s session) sim(ctx context.Context, files []string) error {
	scenarios, err := read(files, s.flags.variants)
	if err != nil {
		return failed(exitInput, err)
	}
	var played []report.Played
	verdict := exitOK
	for _, scenario := range scenarios {
		result, err := scenario.Play(ctx, s.options())
		if err != nil {
			return failed(exitFailed, err)
		}
		p := report.Played{Scenario: scenario, Result: result}
		if err := s.print(p, len(played) == 0); err != nil {
			return failed(exitFailed, err)
		}
		played = append(played, p)
		if result.Interrupted {
			verdict = exitInterrupted
			break
		}
		if !result.Holds() {
			verdict = exitNotExpected
		}
	}
	if s.flags.html != "" {
		if err := writePage(s.flags.html, played); err != nil {
			return failed(exitFailed, err)
		}
	}
	if verdict != exitOK {
		return failed(verdict, nil)
	}
	return nil
}

func (s session) options() sim.Options {
	o := sim.Options{Seed: s.seed, Variants: s.flags.variants}
	if s.flags.real {
		s.players.inRealTime(&o, s.err)
	}
	return o
}

func (s session) print(p report.Played, first bool) error {
	if s.flags.json {
		return report.JSON(s.out, p.Result)
	}
	if !first {
		fmt.Fprintln(s.out)
	}
	return report.Text(s.out, p, textOptions(s.out))
}

// read reads all files and checks that each has the variants, so that nothing
// is played unless everything can be.
func read(files, variants []string) ([]*sim.Scenario, error) {
	var out []*sim.Scenario
	var faults strict.Faults
	var others []error
	for _, file := range files {
		s, err := sim.ReadFile(file)
		if f, ok := errors.AsType[strict.Faults](err); ok {
			faults = append(faults, f...)
			continue
		}
		if err == nil {
			err = hasVariants(s, variants)
		}
		if err != nil {
			others = append(others, err)
			continue
		}
		out = append(out, s)
	}
	return out, errors.Join(errors.Join(others...), faults.Err())
}

func hasVariants(s *sim.Scenario, names []string) error {
	var all []string
	for _, v := range s.Variants {
		all = append(all, v.Name)
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return fmt.Errorf("%s has no variant %q; it has %s", s.File, name, strings.Join(all, ", "))
		}
	}
	return nil
}

func writePage(file string, played []report.Played) error {
	var page bytes.Buffer
	if err := report.HTML(&page, played); err != nil {
		return err
	}
	return os.WriteFile(file, page.Bytes(), 0o644)
}

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/lint"
	"github.com/stanch-go/stanch/lint/report"
	"github.com/stanch-go/stanch/policy"
)

// checkFlags are the settings of "stanch check".
type checkFlags struct {
	format  string
	failOn  string
	rules   bool
	explain string
}

var checkFormats = []string{"human", "json", "sarif", "github"}

func newCheck() *cobra.Command {
	var flags checkFlags
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Find what in a policy would let an incident happen",
		Long: `Look in each policy FILE for what would let an incident happen: limits that do
not fit each other, protections that never act, keys without effect. After the
findings come three sums for every dependency: how long a call can take, what is
still served when the dependency hangs, and how many calls become of one.
docs/checks.md describes all rules.

Exit codes:
  0  there is no finding as grave as --fail-on says
  1  there is one
  2  the command line or a file is faulty; nothing was checked
  4  something else failed, such as writing`,
		Example: `  stanch check policy.yaml
  stanch check --format sarif policy.yaml > stanch.sarif
  stanch check --fail-on error deploy/*.yaml
  stanch check --format json policy.yaml | jq '.sums[] | {dependency, worst: .worst_time.worst_ms}'
  stanch check --explain ST402`,
		RunE: func(c *cobra.Command, files []string) error {
			return flags.run(c.OutOrStdout(), files)
		},
		ValidArgsFunction: completeYAML,
	}
	f := c.Flags()
	f.StringVar(&flags.format, "format", "human", "write human, json, sarif or github (annotations)")
	f.StringVar(&flags.failOn, "fail-on", string(lint.Warning), failOnHelp)
	f.BoolVar(&flags.rules, "rules", false, "list the rules instead")
	f.StringVar(&flags.explain, "explain", "", "show the rule of this `code` instead")
	completeFlag(c, "format", checkFormats)
	completeFlag(c, "fail-on", failOnValues())
	cobra.CheckErr(c.RegisterFlagCompletionFunc("explain", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var codes []string
		for _, r := range lint.Rules() {
			codes = append(codes, r.Code+"\t"+r.Title)
		}
		return codes, cobra.ShellCompDirectiveNoFileComp
	}))
	return c
}

const failOnHelp = "exit with 1 from this severity on: error, warning, info or never"

func failOnValues() []string { return append(lint.Severity("").Values(), "never") }

func completeFlag(c *cobra.Command, name string, values []string) {
	cobra.CheckErr(c.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
}

func (f checkFlags) run(out io.Writer, files []string) error {
	err := errors.Join(oneOf("format", f.format, checkFormats), oneOf("fail-on", f.failOn, failOnValues()))
	if asksForRules := f.rules || f.explain != ""; err == nil && asksForRules == (len(files) > 0) {
		err = errors.New("name the files to check, or ask for --rules or --explain CODE, but not both")
	}
	switch {
	case err != nil:
		return failed(exitInput, err)
	case f.rules:
		return written(report.Rules(out, lintText(out, nil)))
	case f.explain != "":
		rule, err := lint.Find(f.explain)
		if err != nil {
			return failed(exitInput, err)
		}
		return written(report.Explain(out, rule, lintText(out, nil)))
	}
	reports, err := checkAll(files)
	if err != nil {
		return failed(exitInput, err)
	}
	if err := f.write(out, reports); err != nil {
		return failed(exitFailed, err)
	}
	for _, r := range reports {
		if breaks(r.Findings, f.failOn) {
			return failed(exitNotExpected, nil)
		}
	}
	return nil
}

func (f checkFlags) write(out io.Writer, reports []*lint.Report) error {
	if f.format == "sarif" {
		return report.SARIF(out, reports, version())
	}
	for i, r := range reports {
		var err error
		switch f.format {
		case "json":
			err = report.JSON(out, r)
		case "github":
			err = report.GitHub(out, r)
		default:
			if i > 0 {
				fmt.Fprintln(out)
			}
			err = report.Text(out, r, lintText(out, r.Policy.Files))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkAll checks all files, or none if one is faulty.
func checkAll(files []string) (reports []*lint.Report, err error) {
	var faults strict.Faults
	for _, file := range files {
		p, err := policy.Load(file)
		if f, ok := errors.AsType[strict.Faults](err); ok {
			faults = append(faults, f...)
			continue
		} else if err != nil {
			return nil, err
		}
		reports = append(reports, lint.Check(p))
	}
	return reports, faults.Err()
}

// breaks reports whether one of the findings is as grave as said, and not
// allowed.
func breaks(findings []lint.Finding, failOn string) bool {
	return failOn != "never" && slices.ContainsFunc(findings, func(f lint.Finding) bool {
		return f.Allowed == "" && f.Rule.Severity.AtLeast(lint.Severity(failOn))
	})
}

func oneOf(flag, value string, values []string) error {
	if slices.Contains(values, value) {
		return nil
	}
	return fmt.Errorf("--%s must be one of %s, is %q", flag, strings.Join(values, ", "), value)
}

func written(err error) error {
	if err != nil {
		return failed(exitFailed, err)
	}
	return nil
}

// lintText is as wide and colourful as the terminal, and shows lines of the
// files.
func lintText(out io.Writer, files []string) report.TextOptions {
	o := textOptions(out)
	t := report.TextOptions{Width: o.Width, Colour: o.Colour, Sources: map[string][]byte{}}
	for _, file := range files {
		if text, err := os.ReadFile(file); err == nil {
			t.Sources[file] = text
		}
	}
	return t
}

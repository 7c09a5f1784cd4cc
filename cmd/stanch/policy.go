package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/stanch-go/stanch/policy"
)

const policyExitHelp = `Exit codes:
  0  done
  2  the command line or the file is faulty
  4  something else failed, such as writing`

func newPolicy() *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Begin a policy file, show what it means, help editors with it",
		Long: `A policy is one YAML file that says how a service's calls are guarded:
docs/policy.md describes it.`,
		Example: `  stanch policy init
  stanch policy show policy.yaml
  stanch policy schema > policy.schema.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPolicyShow(), newPolicySchema(), newPolicyInit())
	return c
}

func newPolicyShow() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "show FILE",
		Short: "Print a policy with every default filled in",
		Long: `Print what is in force by a policy FILE: every value that has an effect, whether
the file gives it, a file that it includes, a variable of the environment, the
class of a dependency or a default. A comment says which. What is printed is
itself a policy that means the same.

` + policyExitHelp,
		Example: `  stanch policy show policy.yaml
  stanch policy show --json policy.yaml | jq -r '.from | to_entries[] | "\(.value)\t\(.key)"'`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p, err := policy.Load(args[0])
			if err != nil {
				return failed(exitInput, err)
			}
			out := p.YAML()
			if asJSON {
				out = p.JSON()
			}
			return write(c, out)
		},
		ValidArgsFunction: completeYAML,
	}
	c.Flags().BoolVar(&asJSON, "json", false, `print a JSON object with the keys "policy" and "from" instead`)
	return c
}

func newPolicySchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of policy files, for editors",
		Long: `Print the JSON Schema (2020-12) of policy files. An editor with the YAML language
server completes and checks a file whose first line is

  # yaml-language-server: $schema=policy.schema.json

` + policyExitHelp,
		Example: `  stanch policy schema > policy.schema.json`,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return write(c, policy.Schema()) },
	}
}

func newPolicyInit() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented policy to begin with",
		Long: `Write a commented policy to FILE, policy.yaml unless said otherwise. A file that
is there already is not touched.

` + policyExitHelp,
		Example: `  stanch policy init
  stanch policy init deploy/policy.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			file := "policy.yaml"
			if len(args) > 0 {
				file = args[0]
			}
			if err := create(file, policy.Starter, force); err != nil {
				return err
			}
			return write(c, fmt.Appendf(nil, "Wrote %s. Next: set its figures and addresses, then see what it means:\n  stanch policy show %s\n", file, file))
		},
		ValidArgsFunction: completeYAML,
	}
	c.Flags().BoolVar(&force, "force", false, "replace a file that is there")
	return c
}

// create writes a new file, or replaces one if told to.
func create(file string, text []byte, replace bool) error {
	mode := os.O_EXCL
	if replace {
		mode = os.O_TRUNC
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|mode, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return failed(exitInput, fmt.Errorf("%s is there already; --force replaces it", file))
	}
	if err == nil {
		_, err = f.Write(text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return failed(exitFailed, err)
	}
	return nil
}

func write(c *cobra.Command, text []byte) error {
	if _, err := c.OutOrStdout().Write(text); err != nil {
		return failed(exitFailed, err)
	}
	return nil
}

func completeYAML(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

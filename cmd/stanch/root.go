package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newRoot(p players) *cobra.Command {
	root := &cobra.Command{
		Use:   "stanch",
		Short: "Keep one slow dependency from taking a service down",
		Long: `Stanch keeps one slow dependency from taking a service down: every call to it
is bounded in time, tries and number, and refused early when it cannot help.
When too much comes in, the least important is refused first.`,
		Example: `  stanch demo
  stanch check policy.yaml
  stanch run -c policy.yaml
  stanch sim scenarios/a-timeout.yaml
  stanch completion bash > /etc/bash_completion.d/stanch`,
		Version:       version(),
		SilenceErrors: true, // main prints them
		SilenceUsage:  true,
	}
	root.AddCommand(newDemo())
	root.AddCommand(newRun())
	root.AddCommand(newSim(p))
	root.AddCommand(newPolicy())
	root.AddCommand(newCheck())
	root.AddCommand(newDiff())
	return root
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown)"
	}
	return info.Main.Version
}

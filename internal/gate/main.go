// Command gate runs every check of this module, in the order in which they tell
// most in least time, and says how long each took. It needs Go and nothing else:
//
//	go run ./internal/gate             # everything
//	go run ./internal/gate vet race    # these steps only
//	go run ./internal/gate -list       # which steps there are
//
// A step that fails does not stop the ones after it, so that one run shows every
// fault; only where nothing compiles the rest cannot tell more. The exit status is 0 when all steps hold, 1 when one does not, and 2
// when the arguments are wrong.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	fuzztime := flag.Duration("fuzztime", 3*time.Second, "how long each fuzz target runs")
	list := flag.Bool("list", false, "print the steps and end")
	flag.Parse()

	g := gate{fuzztime: *fuzztime, compiler: compiler(), ci: os.Getenv("CI") == "true"}
	steps := g.steps()
	if *list {
		for _, s := range steps {
			fmt.Printf("%-12s %s\n", s.name, s.about)
		}
		return
	}
	chosen, err := choose(steps, flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(2)
	}
	if !runAll(os.Stdout, chosen) {
		os.Exit(1)
	}
}

// choose returns the steps that are named, in their own order; all when none is.
func choose(steps []step, names []string) ([]step, error) {
	if len(names) == 0 {
		return steps, nil
	}
	var all []string
	for _, s := range steps {
		all = append(all, s.name)
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("no step is called %q; there are: %s", name, strings.Join(all, ", "))
		}
	}
	return slices.DeleteFunc(steps, func(s step) bool { return !slices.Contains(names, s.name) }), nil
}

// runAll runs the steps one after the other and reports whether all of them held.
func runAll(w io.Writer, steps []step) bool {
	begun := time.Now()
	var failed []string
	var summary strings.Builder
	for _, s := range steps {
		fmt.Fprintf(w, "\n== %s: %s\n", s.name, s.about)
		start := time.Now()
		err := s.run()
		mark := "ok  "
		if err != nil {
			mark = "FAIL"
			failed = append(failed, s.name)
			fmt.Fprintf(w, "-- %v\n   %s\n", err, s.remedy)
		}
		fmt.Fprintf(&summary, "%s %-12s %7.1f s\n", mark, s.name, time.Since(start).Seconds())
		if err != nil && s.vital {
			summary.WriteString("     and the steps after it were not run\n")
			break
		}
	}
	fmt.Fprintf(w, "\n%s", summary.String())
	if len(failed) > 0 {
		fmt.Fprintf(w, "FAIL %d of %d steps: %s\n", len(failed), len(steps), strings.Join(failed, ", "))
		return false
	}
	fmt.Fprintf(w, "ok   all %d steps, %.1f s\n", len(steps), time.Since(begun).Seconds())
	return true
}

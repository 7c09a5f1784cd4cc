// Command verdict runs the benchmarks of this module in rounds, holds what they
// say against the promises, and ends with status 1 if one falls short:
//
//	go run ./cmd/verdict                     # six rounds, about five minutes
//	go run ./cmd/verdict -from results.txt   # judge what was measured before
//	go run ./cmd/verdict -markdown           # as the tables of docs/performance.md
//
// Each round runs each path a few times in processes of its own, so that what is
// compared was measured within seconds, and that no peer's goroutines disturb
// another. The best pass counts, for all alike: what else runs on the machine
// only ever adds. A ratio is taken within each round, and the median of the
// rounds is judged. What was measured is kept in a file that benchstat
// reads: go tool benchstat results.txt.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	var o options
	flag.IntVar(&o.rounds, "rounds", 6, "how often everything is measured")
	flag.IntVar(&o.passes, "passes", 5, "how often each benchmark runs in a round; the best counts")
	flag.StringVar(&o.benchtime, "benchtime", "20ms", "how long each benchmark runs in a pass")
	flag.StringVar(&o.only, "only", ".", "which `paths` are measured, as for go test -bench")
	flag.Float64Var(&o.load, "load", 2.5, "the load average above which it waits before each path")
	flag.DurationVar(&o.patience, "patience", 10*time.Minute, "how long it waits in all")
	from := flag.String("from", "", "judge this `file` and measure nothing")
	to := flag.String("to", "results.txt", "the `file` for what is measured")
	markdown := flag.Bool("markdown", false, "print tables for a document")
	flag.Parse()

	file := *from
	if file == "" {
		file = *to
		if err := measure(o, file); err != nil {
			fail(err)
		}
	}
	m, err := load(file)
	if err != nil {
		fail(err)
	}
	out := io.Writer(os.Stdout)
	kept := true
	if *markdown {
		kept = verdicts(out, m, "| %s | %s | %s | %s | %s |\n")
		fmt.Fprintln(out)
		tables(out, m)
	} else {
		kept = verdicts(out, m, "%-10s %-62s %-22s %-20s %s\n")
	}
	if !kept {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "verdict:", err)
	os.Exit(2)
}

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

type options struct {
	rounds    int
	passes    int
	benchtime string
	only      string
	load      float64
	patience  time.Duration
}

// enough is the time after which a path gets no further pass in a round.
const enough = 10 * time.Second

// measure writes all rounds to a file.
func measure(o options, file string) error {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "stanch-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "bench.test")
	if out, err := exec.Command("go", "test", "-c", "-o", program, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c: %w\n%s", err, out)
	}
	list, err := exec.Command(program, "-test.list", "^Benchmark").Output()
	if err != nil {
		return fmt.Errorf("list of benchmarks: %w", err)
	}
	to, err := os.Create(file)
	if err != nil {
		return err
	}
	defer to.Close()
	for round := 1; round <= o.rounds; round++ {
		fmt.Fprintf(to, "round: %d\n", round)
		for path := range strings.FieldsSeq(string(list)) {
			if !only.MatchString(path) {
				continue
			}
			now := o.waitForQuiet()
			fmt.Fprintf(os.Stderr, "round %d of %d: %s (load average %.1f)\n", round, o.rounds, path, now)
			began := time.Now()
			for pass := 0; pass < o.passes && time.Since(began) < enough; pass++ {
				out, err := exec.Command(program, "-test.run", "^$", "-test.bench", "^"+path+"$", "-test.benchmem", "-test.benchtime", o.benchtime).CombinedOutput()
				if err != nil {
					return fmt.Errorf("%s: %w\n%s", path, err, out)
				}
				if _, err := to.Write(out); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// waitForQuiet waits until the machine is not busy with something else, or the
// patience is at its end, and returns the load average.
func (o *options) waitForQuiet() float64 {
	const step = 5 * time.Second
	for {
		now := loadAverage()
		if now <= o.load || o.patience <= 0 {
			return now
		}
		o.patience -= step
		time.Sleep(step)
	}
}

// loadAverage is that of the last minute, 0 where it is not known.
func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	v, _ := strconv.ParseFloat(first, 64)
	return v
}

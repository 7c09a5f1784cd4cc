package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// A target is one fuzz function; go runs them one at a time.
type target struct{ pkg, name string }

// fuzz runs every fuzz target for a while, one after the other.
func (g gate) fuzz() error {
	found, err := targets()
	failed := []error{err} // the packages that do compile are fuzzed all the same
	for _, t := range found {
		fmt.Println("  ", t.name, t.pkg)
		failed = append(failed, t.fuzz(g.fuzztime.String()))
	}
	return errors.Join(failed...)
}

// fuzz runs one target, again where go itself was at fault.
func (t target) fuzz(fuzztime string) error {
	for try := 1; ; try++ {
		var out bytes.Buffer
		c := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", fuzztime, "-fuzzminimizetime", "10x", t.pkg)
		c.Stdout, c.Stderr = io.MultiWriter(os.Stdout, &out), os.Stderr
		err := c.Run()
		if err == nil {
			return nil
		}
		if try == 3 || !outOfTime(out.String()) {
			return fmt.Errorf("fuzzing %s in %s: %w", t.name, t.pkg, err)
		}
		fmt.Println("   once more: its time was up, which is no fault of the target (golang/go#75804, mended in Go 1.27)")
	}
}

// outOfTime reports whether go took the end of the time that it was given for a
// failure of the target: then there is no failing input.
func outOfTime(out string) bool {
	return strings.Contains(out, "\n    context deadline exceeded\n") && !strings.Contains(out, "Failing input written")
}

// targets asks go for the fuzz targets of all packages.
func targets() ([]target, error) {
	c := exec.Command("go", "test", "-list", "^Fuzz", "./...")
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("go test -list: %w\n%s", err, out)
	}
	return parseTargets(out), err
}

// parseTargets reads what go test -list prints: the names of a package's
// targets, each on its line, and then the line of the package.
func parseTargets(out []byte) []target {
	var found []target
	var names []string
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) == 1 && strings.HasPrefix(fields[0], "Fuzz"):
			names = append(names, fields[0])
		case len(fields) >= 2 && fields[0] == "ok":
			for _, n := range names {
				found = append(found, target{fields[1], n})
			}
			names = nil
		}
	}
	return found
}

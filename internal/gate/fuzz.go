package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
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
		failed = append(failed, command("go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", g.fuzztime.String(), t.pkg))
	}
	return errors.Join(failed...)
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

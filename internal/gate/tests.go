package main

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// elsewhere has a step of its own.
const elsewhere = "internal/house"

// realTime are packages whose tests play in real time, on real connections. They
// have the machine for themselves, one after the other, since what they measure
// is also how busy it is.
var realTime = []string{"sim/real", "internal/demo", "cmd/stanch", "e2e", "quota/redisquota"}

// test runs the tests of all packages.
func test(flags ...string) error {
	out, err := exec.Command("go", "list", "./...").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	together, alone := divide(strings.Fields(string(out)))
	return errors.Join(
		testPackages(flags, together),
		testPackages(append([]string{"-p", "1"}, flags...), alone),
	)
}

func testPackages(flags, packages []string) error {
	if err := run(exec.Command("go", slices.Concat([]string{"test"}, flags, packages)...)); err != nil {
		return fmt.Errorf("go test %s: %w", strings.Join(flags, " "), err)
	}
	return nil
}

// divide tells the packages that can be tested at once from those that cannot.
func divide(packages []string) (together, alone []string) {
	for _, p := range packages {
		ends := func(name string) bool { return strings.HasSuffix(p, "/"+name) }
		switch {
		case ends(elsewhere):
		case slices.ContainsFunc(realTime, ends):
			alone = append(alone, p)
		default:
			together = append(together, p)
		}
	}
	return together, alone
}

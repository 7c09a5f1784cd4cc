package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// A step is one check.
type step struct {
	name   string
	about  string
	remedy string // what to do when it fails
	run    func() error
	vital  bool // without it the others say nothing new
}

// gate is what the steps depend on.
type gate struct {
	fuzztime time.Duration
	compiler string // the C compiler that the race detector needs, or ""
	ci       bool
}

func (g gate) steps() []step {
	return []step{
		{name: "tools", about: "what this machine has", vital: true,
			remedy: "Install what is missing.",
			run:    g.tools},
		{name: "build", about: "go build ./...", vital: true,
			remedy: "Fix what does not compile.",
			run:    func() error { return command("go", "build", "./...") }},
		{name: "house", about: "the house rules: form, layers, dependencies, documentation",
			remedy: "Each failure above says what to do.",
			run:    func() error { return command("go", "test", "-count=1", "./internal/house") }},
		{name: "vet", about: "go vet ./...",
			remedy: "Fix what vet reports.",
			run:    func() error { return command("go", "vet", "./...") }},
		{name: "staticcheck", about: "go tool staticcheck ./...",
			remedy: "Fix it, or put //lint:ignore CODE REASON above the line.",
			run:    func() error { return command("go", "tool", "staticcheck", "./...") }},
		{name: "fix", about: "go fix -diff ./... prints nothing",
			remedy: "Run: go fix ./...",
			run:    func() error { return silent("go", "fix", "-diff", "./...") }},
		{name: "race", about: "every test and example, with the race detector",
			remedy: "Run the one that failed alone: go test -race -run NAME ./PACKAGE",
			run:    g.race},
		{name: "bench", about: "every benchmark once, and the tests without the race detector (which hides allocations)",
			remedy: "Run the one that failed alone: go test -run NAME -bench NAME -benchtime 1x ./PACKAGE",
			run:    func() error { return test("-bench", ".", "-benchtime", "1x") }},
		{name: "peers", about: "the module that compares with other libraries: vet, every benchmark once, allocations (never times)",
			remedy: "In bench: go vet ./... && go test -short -bench . -benchtime 1x ./...",
			run:    peers},
		{name: "fuzz", about: fmt.Sprintf("every fuzz target for %v", g.fuzztime),
			remedy: "The failing input is kept under testdata/fuzz: fix the fault and commit the input as a test.",
			run:    g.fuzz},
	}
}

// tools says what the machine has, and fails where an important part is missing
// on a machine whose word counts.
func (g gate) tools() error {
	fmt.Printf("%s %s/%s, %d cores\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	switch {
	case g.compiler != "":
		fmt.Println("C compiler:", g.compiler)
	case g.ci:
		return errors.New("no C compiler: the race detector cannot run, and CI=true demands it (Debian: apt-get install gcc libc6-dev)")
	default:
		fmt.Println(noRace)
	}
	return nil
}

const noRace = "NO C COMPILER (or CGO_ENABLED=0): the tests run WITHOUT the race detector.\n" +
	"To have it, install gcc or clang (Debian: apt-get install gcc libc6-dev; macOS: xcode-select --install)."

func (g gate) race() error {
	if g.compiler == "" {
		fmt.Println(noRace)
		return test()
	}
	return test("-race")
}

// compiler finds the C compiler that go would use for the race detector.
func compiler() string {
	out, err := exec.Command("go", "env", "CGO_ENABLED", "CC").Output()
	if err != nil {
		return ""
	}
	cgo, cc, _ := strings.Cut(string(out), "\n")
	name, _, _ := strings.Cut(strings.TrimSpace(cc), " ") // CC may carry flags
	path, err := exec.LookPath(name)
	if err != nil || cgo != "1" {
		return ""
	}
	return path
}

// command runs a command whose output is this program's.
func command(name string, args ...string) error {
	if err := run(exec.Command(name, args...)); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

func run(c *exec.Cmd) error {
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	return c.Run()
}

// peers checks the module in bench, which go's ./... does not reach.
func peers() error {
	for _, args := range [][]string{
		{"vet", "./..."},
		{"test", "-short", "-bench", ".", "-benchtime", "1x", "./..."},
	} {
		c := exec.Command("go", args...)
		c.Dir = "bench"
		if err := run(c); err != nil {
			return fmt.Errorf("go %s in bench: %w", strings.Join(args, " "), err)
		}
	}
	return nil
}

// silent runs a command that fails by printing something.
func silent(name string, args ...string) error {
	var out bytes.Buffer
	c := exec.Command(name, args...)
	c.Stdout, c.Stderr = io.MultiWriter(os.Stdout, &out), os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	if out.Len() > 0 {
		return fmt.Errorf("%s %s printed something", name, strings.Join(args, " "))
	}
	return nil
}

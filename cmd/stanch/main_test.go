package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/sim"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"stanch": main})
}

// TestScripts runs the command as its users do.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       golden.Updating(),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit":       exitsWith,
			"json":       isJSON,
			"wellformed": isWellFormed,
		},
	})
}

// exitsWith runs a command and checks its exit code: exit 2 stanch sim x.yaml
func exitsWith(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		code = e.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if args[0] != strconv.Itoa(code) {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

// isJSON checks that a file is a stream of so many results: json stdout 2
func isJSON(ts *testscript.TestScript, _ bool, args []string) {
	lines := strings.SplitAfter(strings.TrimSuffix(ts.ReadFile(args[0]), "\n"), "\n")
	for _, line := range lines {
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		ts.Check(d.Decode(new(sim.Result)))
	}
	if args[1] != strconv.Itoa(len(lines)) {
		ts.Fatalf("%d results, want %s", len(lines), args[1])
	}
}

func isWellFormed(ts *testscript.TestScript, _ bool, args []string) {
	d := xml.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			ts.Fatalf("%v", err)
		}
	}
}

// TestInterrupt presses Ctrl-C in the middle of a long run: the figures so far
// are printed and the exit code says so.
func TestInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a process")
	}
	dir := t.TempDir()
	write := func(name, duration string) string {
		file := filepath.Join(dir, name)
		text := "scenario: " + name + "\nduration: " + duration + `
dependencies: {db: {phases: [{latency: 10ms}]}}
loads: {users: {to: db, clients: 50}}
variants: [{name: first}, {name: second}]
expect: ["second: requests > 0"]
`
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	page := filepath.Join(dir, "page.html")
	// The command's own program is this test's, under another name.
	stanch, err := exec.LookPath("stanch")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), stanch, "sim", "--json", "--html", page, write("short", "1s"), write("long", "24h"))
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<24)
	if !lines.Scan() {
		t.Fatalf("no result of the short one: %v", lines.Err())
	}
	// The short one is printed, so the long one is being played.
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var r sim.Result
	if !lines.Scan() {
		t.Fatalf("no result of the long one: %v", lines.Err())
	}
	if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || len(r.Variants) != 1 || len(r.Expectations) != 0 {
		t.Errorf("interrupted %v, %d variants, %d expectations; want the first variant, cut", r.Interrupted, len(r.Variants), len(r.Expectations))
	}
	if err := c.Wait(); c.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("exit code %d (%v), want %d", c.ProcessState.ExitCode(), err, exitInterrupted)
	}
	if text, err := os.ReadFile(page); err != nil || !bytes.Contains(text, []byte("Interrupted in variant first")) {
		t.Errorf("the page does not say that it was interrupted (%v)", err)
	}
}

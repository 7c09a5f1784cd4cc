package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/sim"
)

// With a player for real time there is a flag for it; the player gets the
// model and its figures are shown as real. A bar is only for terminals.
func TestReal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "one.yaml")
	text := `scenario: one
duration: 10s
dependencies: {db: {phases: [{latency: 10ms}]}}
loads: {users: {to: db, rate: 10}}
variants: [{name: first}, {name: second}]
`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	played := 0
	p := players{real: func(_ context.Context, m *sim.Model, progress func(done, total time.Duration)) (sim.VariantResult, error) {
		played++
		for done := time.Duration(0); done <= m.Duration; done += time.Second {
			progress(done, m.Duration)
		}
		return sim.PlayVirtual(m, nil)
	}}
	var out, stderr bytes.Buffer
	root := newRoot(p)
	root.SetOut(&out)
	root.SetErr(&stderr)
	root.SetArgs([]string{"sim", "--real", file})
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if played != 2 || !strings.Contains(out.String(), "real time, seed") {
		t.Errorf("played %d variants in:\n%s", played, out.String())
	}
	if stderr.Len() > 0 {
		t.Errorf("a bar where there is no terminal: %q", stderr.String())
	}

	// Without the flag the player is not asked.
	root = newRoot(p)
	root.SetOut(&out)
	root.SetArgs([]string{"sim", file})
	if err := root.ExecuteContext(t.Context()); err != nil || played != 2 {
		t.Errorf("played %d variants, %v", played, err)
	}
}

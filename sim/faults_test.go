package sim_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/sim"
)

// TestFaults reads hostile files. All that is wrong is told in one go, in words
// that are pinned here, each with its place.
func TestFaults(t *testing.T) {
	files, err := filepath.Glob("testdata/faults/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = sim.Parse(name, text)
			faults, ok := errors.AsType[strict.Faults](err)
			if !ok {
				t.Fatalf("want faults, got %v", err)
			}
			lines := strings.Count(string(text), "\n") + 1
			var all strings.Builder
			for _, f := range faults {
				all.WriteString(f.Error() + "\n")
				if f.Line < 1 || f.Line > lines || f.Column < 1 {
					t.Errorf("no place in the file: %v", f)
				}
				if strings.Contains(f.Text, "%!") {
					t.Errorf("ill-formatted: %v", f)
				}
			}
			golden.Check(t, strings.TrimSuffix(file, ".yaml")+".want", all.String())
		})
	}
}

// TestFaultsOfVariants: what a variant says wrongly is at the variant's lines,
// also when it shows only between the variant and the world around it.
func TestFaultsOfVariants(t *testing.T) {
	const world = `scenario: x
duration: 1s
services:
  page: {workers: 2, calls: [db]}
dependencies:
  db: {phases: [{latency: 1ms}]}
loads:
  users: {to: page, clients: 1}
variants:
  - name: fine
  - name: faulty
`
	for _, c := range []struct{ variant, want string }{
		{`    services: {page: {calls: [nobody]}}`, `:12:30: services.page.calls: no service or dependency is called "nobody"`},
		{`    services: {page: {workers: -1}}`, `:12:32: services.page.workers: must not be negative, is -1`},
		{`    loads: {users: {rate: 3}}`, `:12:27: loads.users.rate: a load is only one of clients, rate and trace`},
		{`    loads: {more: {to: nobody, rate: 3}}`, `:12:24: loads.more.to: no service or dependency is called "nobody"`},
		{`    policy: {db: {timeout: {atempt: 1s}}}`, `:12:29: policy.db.timeout.atempt: unknown key; did you mean "attempt"?`},
		{`    policy: {db: {bulkhead: {pool: deep}}}`, `:12:36: policy.db.bulkhead.pool: there is no pool "deep"`},
		{`    duration: -1s`, `:12:15: duration: must be above 0 and at most 24h0m0s, is -1s`},
	} {
		_, err := sim.Parse("f", []byte(world+c.variant+"\n"))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.variant, err, c.want)
		}
	}
}

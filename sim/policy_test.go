package sim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/sim"
)

// The policy file that is deployed is the one that is played.
func TestAPolicyFileIsPlayed(t *testing.T) {
	s, err := sim.ReadFile("testdata/policy/scenario.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Play(t.Context(), sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Expectations {
		if !e.Holds {
			t.Errorf("%s: is %v", e.Text, e.Figure)
		}
	}
	deployed := s.Variants[1].Model
	if g, ok := deployed.Policy.Get("recommend"); !ok || g.Policy.Bulkhead.Pool != "outbound" {
		t.Errorf("the guard is %+v", g)
	}
	if size, _ := deployed.Pools.Get("outbound"); size != 20 {
		t.Errorf("the pool has %d places", size)
	}
	if _, ok := deployed.Policy.Get("elsewhere"); ok {
		t.Error("a dependency that the world does not have got a guard")
	}
}

// A fault of the policy file is told with its own place.
func TestFaultsOfAPolicyFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const world = "scenario: x\nduration: 1s\ndependencies: {db: {phases: [{latency: 1ms}]}}\nloads: {l: {to: db, rate: 1}}\n"
	write("faulty.yaml", "version: 1\ndependencies:\n  db:\n    url: http://127.0.0.1\n    timeout: {attempt: 3}\n")
	write("other.yaml", "version: 1\ndependencies:\n  cache:\n    url: http://127.0.0.1\n    timeout: {attempt: 3s}\n")
	for policy, want := range map[string]string{
		"faulty.yaml":  "faulty.yaml:5:24: dependencies.db.timeout.attempt: ",
		"other.yaml":   "none of the dependencies of ",
		"missing.yaml": "scenario.yaml:5:9: policy: ",
	} {
		_, err := sim.ReadFile(write("scenario.yaml", world+"policy: "+policy+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", policy, err, want)
		}
	}
}

package sim_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/stanch-go/stanch/sim"
)

// TestScenarios plays every scenario file of the project: what it expects holds.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("../scenarios/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			s, err := sim.ReadFile(file)
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
			for _, v := range r.Variants {
				text, _ := json.Marshal(v)
				t.Logf("%s", text)
			}
		})
	}
}

package lint

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/policy"
)

// FuzzCheck: no rule panics at a policy that can be read, whatever its numbers,
// and every finding can be shown.
func FuzzCheck(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.yaml")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds: ", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add(policy.Starter)
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := policy.Parse("policy.yaml", text,
			policy.WithEnv(func(string) (string, bool) { return "", false }),
			policy.WithFiles(func(string) ([]byte, error) { return nil, os.ErrNotExist }))
		if err != nil {
			return
		}
		r := Check(p)
		for _, f := range r.Findings {
			if f.Line < 1 || f.Column < 1 || f.Path == "" || f.Text == "" || f.Remedy == "" || strings.Contains(f.String(), "%!") {
				t.Errorf("finding without a part: %+v", f)
			}
		}
		if i := r.Inbound; i != nil {
			for _, x := range []*float64{i.PerS, i.CapacityPerS} {
				if x != nil && !(*x >= 0) || len(i.Words) < 2 {
					t.Errorf("intake does not fit: %+v", i)
				}
			}
		}
		for _, s := range r.Sums {
			whole := s.Time.WorstMs == nil || s.Time.SumMs != nil && *s.Time.WorstMs <= *s.Time.SumMs || s.Time.CutBy != ""
			bound := s.Load.Bound >= 1 && s.Load.Bound <= float64(s.Load.Attempts) && s.Load.Layers >= int64(s.Load.Attempts)
			if !whole || !bound || s.Fault.Held > s.Fault.Workers || s.Fault.Held < 0 || math.IsNaN(s.Fault.PerWorkerPerS) {
				t.Errorf("sums do not fit: %+v", s)
			}
		}
	})
}

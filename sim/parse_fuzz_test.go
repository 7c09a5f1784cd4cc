package sim_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/strict"
	"github.com/stanch-go/stanch/ratelimit"
	"github.com/stanch-go/stanch/sim"
)

// FuzzParse: no file makes the reader panic, every fault has a place, and what
// is read without a fault can be played.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"../scenarios/*.yaml", "testdata/faults/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal(pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Add([]byte(busy))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := sim.Parse("f", text)
		if err != nil {
			faults, ok := errors.AsType[strict.Faults](err)
			if !ok {
				t.Fatalf("not faults: %v", err)
			}
			for _, fault := range faults {
				if fault.Line < 1 || fault.Column < 1 || fault.Text == "" {
					t.Errorf("no place or no text: %+v", fault)
				}
			}
			return
		}
		for i := range s.Variants {
			m := &s.Variants[i].Model
			if !shrink(m) {
				continue
			}
			events := 0
			r, err := sim.PlayVirtual(m, func() bool { events++; return events > 3 })
			if err != nil {
				t.Fatalf("variant %q was read, but not played: %v", s.Variants[i].Name, err)
			}
			if n := ends(r.Metrics); n != r.Metrics.Requests {
				t.Fatalf("%d requests, %d ends", r.Metrics.Requests, n)
			}
		}
	})
}

// shrink bounds what a model costs to play, and reports whether it could.
func shrink(m *sim.Model) bool {
	if len(m.Services)+len(m.Dependencies)+len(m.Loads) > 100 || m.Windows.Width > 0 && m.Windows.Width < 100*time.Millisecond {
		return false
	}
	m.Duration = min(m.Duration, 300*time.Millisecond)
	m.Drain = min(m.Drain, 300*time.Millisecond)
	m.Windows.To = 0
	for i := range m.Loads {
		l := &m.Loads[i].Value
		l.Clients = min(l.Clients, 20)
		if l.Rate > 0 {
			l.Rate = min(l.Rate, 1000)
		}
		l.Users, l.Tenant.Number = min(l.Users, 100), min(l.Tenant.Number, 100)
	}
	for _, s := range m.Services.All() {
		if s.Instances > 20 {
			return false
		}
		for _, l := range s.Inbound.Config(0).Limits {
			if l.Keys > 100_000 || l.Algorithm == ratelimit.SlidingLog && l.Rate > 10_000 {
				return false // they take their memory in advance
			}
		}
	}
	return m.Validate() == nil // such as windows that began after the shorter duration
}

func ends(m sim.Metrics) int64 {
	n := m.OK + m.Degraded + m.Failed + m.Hung
	for _, refused := range m.Refused {
		n += refused
	}
	return n
}

// FuzzParseExpected: no line makes the reader panic, and one that is read is
// read again as the same.
func FuzzParseExpected(f *testing.F) {
	for _, text := range []string{
		"full: latency_ms.max <= 250", "a: b: ok ~ 2060 within 5%", "one: mean ok_per_s[0..4] == other: ok", "x<1: ok != -1e3",
		"a: dependencies.db.transitions[0].t_s ~ 0.74", "50 %: completed_per_s[0..] < 1",
	} {
		f.Add(text)
	}
	r, err := sim.PlayVirtual(&sim.Model{
		Duration:     time.Second,
		Dependencies: sim.Map[sim.Dependency]{{Key: "db", Value: sim.Dependency{Phases: []sim.Phase{{}}}}},
		Loads:        sim.Map[sim.Load]{{Key: "users", Value: sim.Load{To: "db", Rate: 1}}},
	}, nil)
	if err != nil {
		f.Fatal(err)
	}
	r.Name = "a"
	result := sim.Result{Variants: []sim.VariantResult{r}}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := sim.ParseExpected(text)
		_, _ = result.Figure("a", text)
		if err != nil {
			return
		}
		if again, err := sim.ParseExpected(e.Text); err != nil || again != e {
			t.Errorf("%q: read as %+v, then as %+v, %v", text, e, again, err)
		}
	})
}

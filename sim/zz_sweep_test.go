package sim_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/sim"
)

func TestSweep(t *testing.T) {
	if os.Getenv("SWEEP") == "" {
		t.Skip()
	}
	s, err := sim.ReadFile(os.Getenv("SWEEP"))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(30) {
		r, err := s.Play(t.Context(), sim.Options{Seed: &seed})
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprint(seed, ": ")
		for _, f := range strings.Split(os.Getenv("FIG"), ",") {
			v, p, _ := strings.Cut(f, ":")
			x, err := r.Figure(v, p)
			line += fmt.Sprint(x, " ")
			if err != nil {
				line += err.Error()
			}
		}
		bad := ""
		for _, e := range r.Expectations {
			if !e.Holds {
				bad += fmt.Sprintf(" | %s is %v", e.Text, e.Figure)
			}
		}
		fmt.Println(line, bad)
	}
}

package sim_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stanch-go/stanch/sim"
)

// TestRoomInRealTime plays with a player that always gives the same figures:
// what just fails in virtual time holds in real time, and what is further off
// than 15 % does not.
func TestRoomInRealTime(t *testing.T) {
	const text = `
scenario: room
duration: 1s
dependencies: {db: {phases: [{latency: 1ms}]}}
loads: {users: {to: db, clients: 1}}
expect:
  - "only: requests == %[1]d"
  - "only: requests ~ %[1]d within 1%%"
  - "only: requests %[2]s %[1]d"
  - "only: requests %[2]s= %[1]d"
  - "only: failed == 0"
`
	play := func(mode sim.Mode, expected int, operator string, failed int64) string {
		s, err := sim.Parse("room.yaml", fmt.Appendf(nil, text, expected, operator))
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Play(t.Context(), sim.Options{Mode: mode, Play: func(context.Context, *sim.Model) (sim.VariantResult, error) {
			return sim.VariantResult{Metrics: sim.Metrics{Requests: 1000, Failed: failed}}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		var held strings.Builder
		for _, e := range r.Expectations {
			held.WriteString(map[bool]string{true: "+", false: "-"}[e.Holds])
			if strings.Contains(e.Text, "15 % room") != (mode == sim.Real) {
				t.Errorf("%s: the expectation reads %q", mode, e.Text)
			}
		}
		return held.String()
	}
	for _, c := range []struct {
		mode     sim.Mode
		expected int
		operator string
		failed   int64
		want     string
	}{
		{sim.Virtual, 1100, ">", 0, "----+"},
		{sim.Virtual, 900, "<", 0, "----+"},
		{sim.Real, 1100, ">", 0, "+++++"},
		{sim.Real, 900, "<", 0, "+++++"},
		{sim.Real, 1200, ">", 0, "----+"},
		{sim.Real, 850, "<", 0, "----+"},
		{sim.Real, 1000, "<", 1, "++++-"}, // of nothing there is no share
	} {
		if got := play(c.mode, c.expected, c.operator, c.failed); got != c.want {
			t.Errorf("%s, requests 1000 %s %d, failed %d: %s, want %s", c.mode, c.operator, c.expected, c.failed, got, c.want)
		}
	}
}

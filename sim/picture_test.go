package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/internal/golden"
	"github.com/stanch-go/stanch/sim"
)

// TestPictures draws what happened over time. A change of a policy, of the
// simulator or of a scenario shows as a change of a picture: look at it before
// it is written with -update.
func TestPictures(t *testing.T) {
	for _, c := range []struct {
		file, variant string
		column        time.Duration
	}{
		{"a-timeout", "no-timeout", 100 * time.Millisecond},
		{"a-timeout", "full", 100 * time.Millisecond},
		{"d-breaker", "ours", 100 * time.Millisecond},
		{"g-cascade", "ours", 50 * time.Millisecond},
		{"j-metastable", "bare", time.Second},
		{"j-metastable", "ours", time.Second},
	} {
		t.Run(c.file+"/"+c.variant, func(t *testing.T) {
			t.Parallel()
			s, err := sim.ReadFile("../scenarios/" + c.file + ".yaml")
			if err != nil {
				t.Fatal(err)
			}
			r := play(t, s, sim.Options{Variants: []string{c.variant}})
			var model *sim.Model
			for i, v := range s.Variants {
				if v.Name == c.variant {
					model = &s.Variants[i].Model
				}
			}
			golden.Check(t, "testdata/pictures/"+c.file+"-"+c.variant+".txt", picture(model, r.Variants[0].Series, c.column))
		})
	}
}

// picture draws the answers and the calls of a run, a column for each span of
// time, and the state of each breaker that moved.
func picture(m *sim.Model, s *sim.Series, column time.Duration) string {
	n := int((m.Duration + column - 1) / column)
	var b strings.Builder
	fmt.Fprintf(&b, "a column is %v: . is none, 1 to 9 are the ninths of the most\n", column)
	row := func(name string, of func(i int) int) {
		columns := make([]int, n)
		most := 0
		for i := range s.Answers {
			c := min(n-1, int(time.Duration(i)*s.Step/column))
			columns[c] += of(i)
			most = max(most, columns[c])
		}
		if most == 0 {
			return
		}
		fmt.Fprintf(&b, "%-9s ", name)
		for _, x := range columns {
			b.WriteByte(".123456789"[(9*x+most-1)/most])
		}
		fmt.Fprintf(&b, "  most %d\n", most)
	}
	row("ok", func(i int) int { return s.Answers[i].OK })
	row("degraded", func(i int) int { return s.Answers[i].Degraded })
	row("failed", func(i int) int { return s.Answers[i].Failed })
	row("refused", func(i int) int { return s.Answers[i].Refused })
	for _, d := range m.Dependencies {
		row("calls", func(i int) int { return s.Dependencies[d.Key].Calls[i] })
		states := s.Dependencies[d.Key].States
		if len(states) == 0 {
			continue
		}
		line := []byte(strings.Repeat("_", n))
		for i, from := range states {
			to := m.Duration
			if i+1 < len(states) {
				to = states[i+1].At
			}
			for c := int(from.At / column); c < n && time.Duration(c)*column < to; c++ {
				line[c] = worse(line[c], from.State)
			}
		}
		fmt.Fprintf(&b, "%-9s %s  _ closed, - half-open, # open\n", "breaker", line)
	}
	line := []byte(strings.Repeat(" ", n))
	for c := range line {
		if at := time.Duration(c) * column; at >= m.Fault.From && at < m.Fault.To {
			line[c] = '='
		}
	}
	fmt.Fprintf(&b, "%-9s %s\n", "fault", strings.TrimRight(string(line), " "))
	return b.String()
}

// worse keeps the state that is further from closed, so that a short opening is
// not lost.
func worse(mark byte, s breaker.State) byte {
	const order = "_-#"
	of := map[breaker.State]byte{breaker.Closed: '_', breaker.HalfOpen: '-', breaker.Open: '#'}[s]
	if strings.IndexByte(order, of) > strings.IndexByte(order, mark) {
		return of
	}
	return mark
}

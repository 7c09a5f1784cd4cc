package report

import (
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/plot"
	"github.com/stanch-go/stanch/sim"
)

// A silence is when somebody waits and nobody is answered, for half a second or
// more. The steps are of 250 ms.
func TestSilences(t *testing.T) {
	const step = 250 * time.Millisecond
	for _, c := range []struct {
		name              string
		requests, answers []int
		hung              int64
		cut               bool
		want              []plot.Span
	}{
		{"nobody asks", []int{1, 0, 0, 0, 1}, []int{1, 0, 0, 0, 1}, 0, false, nil},
		{"one waits", []int{1, 0, 0, 0, 0}, []int{0, 0, 0, 1, 0}, 0, false, []plot.Span{{To: 3 * step}}},
		{"not for long", []int{1, 0, 0, 0, 0}, []int{0, 1, 0, 0, 0}, 0, false, nil},
		{"another is answered", []int{2, 0, 0, 0, 0}, []int{0, 0, 1, 0, 1}, 0, false, []plot.Span{{To: 2 * step}}},
		{"answered after the end", []int{0, 0, 1, 0, 0}, []int{0, 0, 0, 0, 0}, 0, false, []plot.Span{{From: 2 * step, To: 5 * step}}},
		{"never answered", []int{0, 0, 0, 0, 0}, []int{1, 0, 0, 0, 0}, 1, false, []plot.Span{{From: step, To: 5 * step}}},
		{"cut while one was on its way", []int{1, 0, 0, 0, 0}, []int{1, 0, 0, 0, 0}, 1, true, nil},
		{"cut after a quiet time", []int{1, 0, 0, 0, 1}, []int{1, 0, 0, 0, 1}, 1, true, nil},
		{"cut while one waited", []int{2, 0, 0, 0, 0}, []int{1, 0, 0, 0, 0}, 0, true, nil},
	} {
		s := &sim.Series{Step: step}
		for i := range c.requests {
			s.Requests = append(s.Requests, sim.Counts{OK: c.requests[i]})
			s.Answers = append(s.Answers, sim.Counts{OK: c.answers[i]})
		}
		v := variant{VariantResult: &sim.VariantResult{Metrics: sim.Metrics{Hung: c.hung}, Series: s}, cut: c.cut}
		if got := v.silences(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

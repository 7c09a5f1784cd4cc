package history

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stanch-go/stanch/proxy"
)

// However time goes, what is read has the columns of its span, no rate is
// negative, stretches are in order and inside the span, and over the last ten
// minutes no call is lost or made up.
func TestReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := New()
		at, calls := time.Duration(0), uint64(0)
		h.Add(status(at, shop(0, 0, 0)), nil)
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			at += time.Duration(rapid.Int64Range(-2, 40).Draw(t, "ds")) * time.Second / 2
			calls += uint64(rapid.IntRange(0, 9).Draw(t, "calls"))
			var events []proxy.Event
			if rapid.Bool().Draw(t, "opens") {
				events = []proxy.Event{{Kind: proxy.KindTransition, Dependency: "shop", To: "open"}}
			}
			h.Add(status(at, shop(calls, 0, 0)), events)
		}
		counted := h.by["shop"].totals.answers[0]
		s := h.Read("shop")
		each := s.Span / time.Duration(len(s.P50))
		got := 0.0
		for i, rate := range s.Answers[0] {
			if rate < 0 || math.IsNaN(rate) {
				t.Fatalf("rate %v", rate)
			}
			known := 0.0
			from := h.last/int64(each/time.Second)*int64(each/time.Second) + int64(each/time.Second) - int64(s.Span/time.Second)
			for n := range int64(each / time.Second) {
				k := from + int64(i)*int64(each/time.Second) + n
				if k >= 1 && k <= h.last && h.by["shop"].at(k).known {
					known++
				}
			}
			got += rate * known
		}
		if h.last < 60 && math.Abs(got-float64(counted)) > 1e-6 {
			t.Fatalf("%v calls in the columns, want %v", got, counted)
		}
		end := time.Duration(0)
		for _, x := range s.States {
			if x.From < end || x.To <= x.From || x.To > s.Span || x.State == "" {
				t.Fatalf("stretch %+v in %v after %v", x, s.Span, end)
			}
			end = x.To
		}
	})
}

package stanchprom_test

import (
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"pgregory.net/rapid"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/stanchprom"
)

// Whatever events come, from however many goroutines, none is lost and every
// scrape is well-formed: buckets rise, and in flight is never negative.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reg := prometheus.NewPedanticRegistry()
		m, err := stanchprom.New(reg)
		if err != nil {
			t.Fatal(err)
		}
		event := rapid.Custom(func(t *rapid.T) stanch.Event {
			return stanch.Event{
				Step:       stanch.Step(rapid.IntRange(0, 9).Draw(t, "step")),
				Dependency: rapid.SampledFrom([]string{"a", "b", "", "\xff"}).Draw(t, "dependency"),
				Result:     stanch.Result(rapid.Byte().Draw(t, "result")),
				Reason:     stanch.Reason(rapid.String().Draw(t, "reason")),
				Source:     rapid.SampledFrom([]string{"stale", "static", "\xff", "", "é", "\n"}).Draw(t, "source"),
				Attempt:    rapid.IntRange(0, 3).Draw(t, "attempt"),
				Took:       time.Duration(rapid.Int64Range(-1, int64(time.Minute)).Draw(t, "took")),
			}
		})
		events := rapid.SliceOfN(event, 1, 40).Draw(t, "events")
		var g sync.WaitGroup
		for range 3 {
			g.Go(func() {
				for _, e := range events {
					m.Observe(e)
				}
			})
		}
		g.Go(func() {
			if _, err := reg.Gather(); err != nil {
				t.Error(err)
			}
		})
		g.Wait()
		want := 0
		for _, e := range events {
			if e.Step == stanch.StepDone {
				want += 3
			}
		}
		families, err := reg.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, f := range families {
			for _, s := range f.Metric {
				if f.GetName() == "stanch_calls_total" {
					got += int(s.Counter.GetValue())
				}
				last := uint64(0)
				for _, b := range s.GetHistogram().GetBucket() {
					if b.GetCumulativeCount() < last {
						t.Fatalf("%s: buckets fall", f.GetName())
					}
					last = b.GetCumulativeCount()
				}
			}
		}
		if got != want {
			t.Fatalf("%d calls were counted, want %d", got, want)
		}
	})
}

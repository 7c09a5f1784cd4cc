package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/sim"
	"github.com/stanch-go/stanch/sim/report"
)

// stall is a result made by hand, so that the pictures depend on nothing but
// this package: ten seconds, from 2 s to 6 s nobody is answered by the
// dependency. The variants take turns in what they do about it.
func stall(t *testing.T, names ...string) report.Played {
	t.Helper()
	var text strings.Builder
	text.WriteString(`scenario: stall
title: It stops, <b>then</b> goes on
about: |
  First paragraph.

  Second paragraph & more.
duration: 10s
fault: {from: 2s, to: 6s}
services:
  page: {workers: 2, queue: 5, calls: [db]}
dependencies:
  db: {phases: [{latency: 10ms}]}
loads:
  users: {to: page, rate: 100}
variants:
`)
	for _, name := range names {
		fmt.Fprintf(&text, "  - name: %q\n", name)
	}
	s, err := sim.Parse("stall.yaml", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	r := &sim.Result{Scenario: s.Name, Title: s.Title, Seed: 7, Mode: sim.Virtual}
	for i, name := range names {
		r.Variants = append(r.Variants, stalled(name, i%3))
	}
	r.Expectations = []sim.Expectation{
		{Text: names[0] + ": requests ~ 1000", Holds: true, Figure: 1000},
		{Text: names[0] + ": latency_ms.max <= 250", Figure: 4000},
	}
	return report.Played{Scenario: s, Result: r}
}

// What a variant does while the dependency is away.
const (
	waits    = iota // nobody is answered
	degrades        // the breaker opens, an alternative answers
	fails           // requests fail, and some are refused
)

func stalled(name string, does int) sim.VariantResult {
	const n = 160
	s := &sim.Series{
		Step: 10 * time.Second / n, Requests: make([]sim.Counts, n), Answers: make([]sim.Counts, n),
		P50: make([]float64, n), P99: make([]float64, n),
		Dependencies: map[string]*sim.DependencySeries{"db": {Calls: make([]int, n), InFlight: make([]int, n)}},
		Queues:       map[string][]int{"page": make([]int, n)},
	}
	for i := range n {
		c := sim.Counts{OK: 6}
		s.P50[i], s.P99[i] = 10, 12
		if at := s.Step * time.Duration(i); at >= 2*time.Second && at < 6*time.Second {
			switch does {
			case waits:
				c = sim.Counts{}
				s.P50[i], s.P99[i] = math.NaN(), math.NaN()
			case degrades:
				c = sim.Counts{Degraded: 6}
			case fails:
				c = sim.Counts{Failed: 2, Refused: 4}
				s.P50[i], s.P99[i] = 500, 4000
			}
			s.Dependencies["db"].InFlight[i] = 2 + i%3
			s.Queues["page"][i] = 5
		}
		s.Answers[i] = c
		s.Requests[i] = c
		if does == waits {
			s.Requests[i].OK = 6 // some of which are never answered
		}
	}
	v := sim.VariantResult{
		Name: name, Series: s,
		Metrics: sim.Metrics{
			Requests: 1000, OK: 600, Refused: map[string]int64{}, ThroughputPerS: 100, SuccessRatio: 0.6, Amplification: 1.234,
			LatencyMs: sim.Quantiles{P50: 10, P95: 11.52, P99: 12, Max: 4000}, FaultLatencyMs: &sim.Quantiles{P50: 4000, P95: 4000, P99: 4000, Max: 4000},
			FirstSuccessAfterRecoveryMs: new(0.0), FullRateAfterRecoveryMs: new(-1.0),
			CompletedPerS: []int64{100, 100, 0, 0, 0, 0, 100, 100, 100, 100},
		},
		Dependencies: map[string]sim.DependencyResult{"db": {Calls: 1000, CallsDuringFault: 400, PeakInFlight: 4}},
		Classes:      map[string]sim.Metrics{"users": {}},
	}
	switch does {
	case waits:
		v.Published = map[string]float64{"requests": 990, "latency_ms.max": 4012.3, "completed_per_s[6]": 95, "success_ratio": 0.61}
	case degrades:
		v.Metrics.Degraded = 400
		s.Dependencies["db"].States = []sim.StateChange{
			{At: 2125 * time.Millisecond, State: breaker.Open},
			{At: 6125 * time.Millisecond, State: breaker.HalfOpen},
			{At: 6300 * time.Millisecond, State: breaker.Closed},
		}
	case fails:
		v.Metrics.Failed = 134
		v.Metrics.Refused["queue_full"] = 266
	}
	return v
}

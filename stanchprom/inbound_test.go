package stanchprom_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/stanch-go/stanch/inbound"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/shed"
	"github.com/stanch-go/stanch/stanchprom"
)

func TestInboundCollector(t *testing.T) {
	var tally inbound.Tally
	control, err := inbound.New("shop", inbound.Config{
		Limits:      []inbound.Limit{{Name: "all", Rate: 2, Window: time.Hour}},
		Concurrency: inbound.Concurrency{Config: shed.Config{Limit: 7}},
	}, inbound.WithObserver(&tally))
	if err != nil {
		t.Fatal(err)
	}
	stats := control.Stats
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(stanchprom.InboundCollector(func() []stanchprom.InboundSample {
		return []stanchprom.InboundSample{{Service: control.Name(), Counts: tally.Counts(), Stats: stats()}}
	}))
	for range 2 {
		a, err := control.Admit(t.Context(), inbound.Request{})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Done(outcome.Failure)
	}
	control.Admit(t.Context(), inbound.Request{})
	demand(t, values(t, reg), map[string]float64{
		"inbound_requests_total{by= priority=critical reason= result=admitted service=shop}":               2,
		"inbound_requests_total{by=all priority=critical reason=rate_limited result=refused service=shop}": 1,
		"inbound_in_flight{service=shop}":                       2,
		"inbound_limit{service=shop}":                           7,
		"inbound_wait_duration_seconds{service=shop}":           2,
		"inbound_work_duration_seconds{service=shop}":           0,
		"inbound_let_in_ratio{priority=sheddable service=shop}": 1,
	})
	stats = func() (s inbound.Stats) {
		s.Shed = shed.Stats{Shedding: true, Priority: shed.Critical, Level: 33}
		return s
	}
	now := values(t, reg)
	for p, want := range map[shed.Priority]float64{shed.SheddablePlus: 0, shed.Critical: 0.75, shed.CriticalPlus: 1} {
		if got := now[fmt.Sprintf("inbound_let_in_ratio{priority=%v service=shop}", p)]; math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: %v let in, want %v", p, got, want)
		}
	}
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil || len(problems) > 0 {
		t.Error(problems, err)
	}
}

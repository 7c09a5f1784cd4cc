package stanchprom_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/retry"
	"github.com/stanch-go/stanch/stanchprom"
)

func newMetrics(t testing.TB) (*stanchprom.Metrics, *prometheus.Registry) {
	t.Helper()
	reg := prometheus.NewPedanticRegistry()
	m, err := stanchprom.New(reg)
	if err != nil {
		t.Fatal(err)
	}
	return m, reg
}

// values returns every series by its name and labels, but those of buckets.
func values(t testing.TB, reg prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, f := range families {
		for _, m := range f.Metric {
			var labels []string
			for _, l := range m.Label {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			key := fmt.Sprintf("%s{%s}", strings.TrimPrefix(f.GetName(), "stanch_"), strings.Join(labels, " "))
			switch {
			case m.Counter != nil:
				out[key] = m.Counter.GetValue()
			case m.Gauge != nil:
				out[key] = m.Gauge.GetValue()
			case m.Histogram != nil:
				out[key] = float64(m.Histogram.GetSampleCount())
			}
		}
	}
	return out
}

func demand(t *testing.T, got map[string]float64, want map[string]float64) {
	t.Helper()
	for key, v := range want {
		if x, ok := got[key]; !ok || x != v {
			t.Errorf("%s is %v (there: %v), want %v", key, x, ok, v)
		}
	}
}

func TestCalls(t *testing.T) {
	m, reg := newMetrics(t)
	d := stanch.Must(stanch.New("shop", stanch.Config{
		Retry:    retry.Config{Attempts: 2, Base: time.Nanosecond},
		Budget:   retry.BudgetConfig{Kind: retry.KindToken, Max: 10},
		Breaker:  breaker.Config{Consecutive: 4},
		Bulkhead: bulkhead.Config{Limit: 3},
	}, stanch.WithObserver(m)))
	m.Watch(d)
	down := outcome.Retryable(errors.New("down"))
	ctx := t.Context()
	call := func(err error) (string, error) {
		a, err := stanch.Ask(ctx, d, func(context.Context) (string, error) { return "x", err },
			stanch.Or("stale", func(context.Context) (string, error) { return "y", nil }))
		return a.Source, err
	}
	if source, err := call(nil); source != "live" || err != nil {
		t.Fatal(source, err)
	}
	for range 2 { // two attempts each, which opens the breaker
		if source, err := call(down); source != "stale" || err != nil {
			t.Fatal(source, err)
		}
	}
	if _, err := stanch.Do(ctx, d, func(context.Context) (string, error) { return "", nil }); !errors.Is(err, stanch.ErrBreakerOpen) {
		t.Error(err)
	}
	demand(t, values(t, reg), map[string]float64{
		"calls_total{dependency=shop result=ok}":                      1,
		"calls_total{dependency=shop result=error}":                   2,
		"calls_total{dependency=shop result=refused}":                 1,
		"calls_total{dependency=shop result=late}":                    0,
		"attempts_total{dependency=shop result=ok}":                   1,
		"attempts_total{dependency=shop result=error}":                4,
		"refused_total{dependency=shop reason=breaker_open}":          1,
		"degraded_total{dependency=shop source=stale}":                2,
		"unanswered_total{dependency=shop}":                           0,
		"attempts_in_flight{dependency=shop}":                         0,
		"call_duration_seconds{dependency=shop}":                      3,
		"attempt_duration_seconds{dependency=shop}":                   5,
		"queue_wait_seconds{dependency=shop}":                         5,
		"breaker_state{dependency=shop state=open}":                   1,
		"breaker_state{dependency=shop state=closed}":                 0,
		"breaker_transitions_total{dependency=shop to=open}":          1,
		"bulkhead_limit{dependency=shop}":                             3,
		"bulkhead_in_flight{dependency=shop}":                         0,
		"bulkhead_waiting{dependency=shop}":                           0,
		"retries_refused_total{dependency=shop reason=budget}":        0,
		"retries_refused_total{dependency=shop reason=bulkhead_full}": 0,
		"breaker_transitions_total{dependency=shop to=forced-closed}": 0,
		"retry_budget_balance{dependency=shop}":                       d.Budget().BalanceAt(0),
	})
}

// An attempt that panics is over too.
func TestInFlight(t *testing.T) {
	m, reg := newMetrics(t)
	d := stanch.Must(stanch.New("shop", stanch.Config{}, stanch.WithObserver(m)))
	const key = "attempts_in_flight{dependency=shop}"
	func() {
		defer func() { _ = recover() }()
		_, _ = stanch.Do(t.Context(), d, func(context.Context) (int, error) {
			demand(t, values(t, reg), map[string]float64{key: 1})
			panic("x")
		})
	}()
	demand(t, values(t, reg), map[string]float64{
		key: 0, "attempts_total{dependency=shop result=panic}": 1, "calls_total{dependency=shop result=panic}": 1,
	})
	if got := values(t, reg); got["breaker_state{dependency=shop state=closed}"] != 0 || len(got) == 0 {
		t.Error("a dependency without a breaker has a state of it")
	}
}

// Names made from what requests say do not fill the memory of Prometheus.
func TestLabelsAreBounded(t *testing.T) {
	m, reg := newMetrics(t)
	for i := range 2 * stanchprom.MaxDependencies {
		m.Observe(stanch.Event{Step: stanch.StepDone, Dependency: fmt.Sprint("d", i)})
	}
	for i := range 2 * stanchprom.MaxSources {
		m.Observe(stanch.Event{Step: stanch.StepFallback, Dependency: "d0", Source: fmt.Sprint("s", i)})
	}
	for _, e := range []stanch.Event{
		{Step: stanch.StepDone, Result: 200},
		{Step: stanch.StepAttemptDone, Result: 201},
		{Step: stanch.StepRefused, Reason: "made up"},
		{Step: stanch.StepRetryRefused, Reason: "made up as well"},
		{Step: stanch.StepTransition, To: 99},
		{Step: stanch.StepFallback, Err: errors.New("none")},
	} {
		e.Dependency = "d0"
		m.Observe(e)
	}
	beyond := stanch.Must(stanch.New("beyond", stanch.Config{Breaker: breaker.Config{Consecutive: 1}}))
	m.Watch(beyond) // would give "other" a state that is not that of all in it
	got := values(t, reg)
	demand(t, got, map[string]float64{
		"calls_total{dependency=other result=ok}":           stanchprom.MaxDependencies,
		"degraded_total{dependency=d0 source=s0}":           1,
		"degraded_total{dependency=d0 source=other}":        stanchprom.MaxSources,
		"calls_total{dependency=d0 result=other}":           1,
		"attempts_total{dependency=d0 result=other}":        1,
		"refused_total{dependency=d0 reason=other}":         1,
		"retries_refused_total{dependency=d0 reason=other}": 1,
		"unanswered_total{dependency=d0}":                   1,
	})
	dependencies := map[string]bool{}
	for key := range got {
		_, rest, _ := strings.Cut(key, "dependency=")
		name, _, _ := strings.Cut(rest, " ")
		dependencies[strings.TrimSuffix(name, "}")] = true
	}
	if n := len(dependencies); n != stanchprom.MaxDependencies+1 {
		t.Errorf("%d dependencies", n)
	}
	if _, ok := got["breaker_state{dependency=other state=closed}"]; ok {
		t.Error("the state of one of many is shown as that of all")
	}
}

func TestTwiceIsRefused(t *testing.T) {
	_, reg := newMetrics(t)
	if _, err := stanchprom.New(reg); err == nil {
		t.Error("two sets of metrics with the same names")
	}
}

// The names follow the conventions of Prometheus.
func TestLint(t *testing.T) {
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(stanchprom.Collector(func() []stanchprom.Sample {
		return []stanchprom.Sample{{
			Dependency: "shop", Degraded: map[string]uint64{"stale": 1},
			Breaker: "made up", Bulkhead: &bulkhead.Stats{Limit: 1}, Balance: new(1.5),
		}}
	}))
	families, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	demand(t, values(t, reg), map[string]float64{
		"breaker_state{dependency=shop state=other}": 1, "breaker_state{dependency=shop state=open}": 0,
	})
}

// An event of a dependency that is known allocates nothing.
func TestObserveAllocatesNothing(t *testing.T) {
	m, _ := newMetrics(t)
	events := []stanch.Event{
		{Step: stanch.StepAttempt, Dependency: "shop", Wait: time.Millisecond},
		{Step: stanch.StepAttemptDone, Dependency: "shop", Took: time.Second},
		{Step: stanch.StepRefused, Dependency: "shop", Reason: stanch.ErrShed},
		{Step: stanch.StepFallback, Dependency: "shop", Source: "stale"},
		{Step: stanch.StepDone, Dependency: "shop", Attempt: 1, Took: time.Hour},
	}
	n := testing.AllocsPerRun(100, func() {
		for _, e := range events {
			m.Observe(e)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkObserve(b *testing.B) {
	m, _ := newMetrics(b)
	e := stanch.Event{Step: stanch.StepAttemptDone, Dependency: "shop", Took: 20 * time.Millisecond}
	for b.Loop() {
		m.Observe(e)
	}
}

package stanch_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/stanchtest"
)

// When alternatives are asked, and when the live error stands.
func TestAsk(t *testing.T) {
	for _, tt := range []struct {
		name   string
		reply  reply
		cancel bool
		source string // "" none
		err    error
	}{
		{"live", reply{Value: 7}, false, fallback.Live, nil},
		{"an error", reply{Err: errOther}, false, "stale", nil},
		{"a timeout", reply{After: stanchtest.Forever}, false, "stale", nil},
		{"an exclusion", reply{Err: outcome.Excluded(errOther)}, false, "stale", nil},
		{"a refusal further in", reply{Err: &stanch.Refusal{Reason: stanch.ErrBudget}}, false, "stale", nil},
		{"not found is an answer", reply{Err: outcome.Answer(errOther)}, false, "", errOther},
		{"the caller has gone", reply{After: stanchtest.Forever}, true, "", context.Canceled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := stanch.Must(stanch.New("d", bounded))
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.cancel {
					time.AfterFunc(50*ms, cancel)
				}
				asked := false
				a, err := stanch.Ask(ctx, d, stanchtest.NewScript(tt.reply).Call, stanch.Or("stale", func(context.Context) (int, error) {
					asked = true
					return 5, nil
				}))
				if a.Source != tt.source || !errors.Is(err, tt.err) || asked != (tt.source == "stale") {
					t.Errorf("%+v, %v, asked %v", a, err, asked)
				}
				if err == nil && a.Degraded() != asked || asked && (a.Value != 5 || a.Cause == nil) {
					t.Errorf("%+v", a)
				}
			})
		})
	}
}

// A refused call is answered by an alternative too; that is what it is for.
func TestAskWhenRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rec stanchtest.Recorder
		d := stanch.Must(stanch.New("d", cfg(func(c *stanch.Config) { c.Breaker.Cooldown = 10 * ms }), stanch.WithObserver(&rec)))
		d.Breaker().ForceOpenAt(clock.Real.Now())
		rec.Reset()
		a, err := stanch.Ask(t.Context(), d, stanchtest.NewScript[int]().Call,
			stanch.Or("stale", func(context.Context) (int, error) { time.Sleep(3 * ms); return 0, fallback.ErrNoSnapshot }),
			stanch.Or("generic", func(context.Context) (int, error) { return 5, nil }))
		if err != nil || a.Source != "generic" || !errors.Is(a.Cause, stanch.ErrBreakerOpen) || len(a.Skipped) != 1 {
			t.Errorf("%+v, %v", a, err)
		}
		expect(t, &rec,
			"0s d: refused 1 breaker_open after 10ms",
			"0s d: done 0 refused ignored 0s: stanch: d: the circuit breaker is open (try again in 10ms)",
			"3ms d: fallback generic 3ms",
		)
	})
}

// When nobody has an answer, the error tells everybody's.
func TestAskInVain(t *testing.T) {
	d := stanch.Must(stanch.New("d", bounded))
	var rec stanchtest.Recorder
	d2 := stanch.Must(stanch.New("d", bounded, stanch.WithObserver(&rec)))
	none := stanch.Or("stale", func(context.Context) (int, error) { return 0, fallback.ErrTooOld })
	for _, d := range []*stanch.Dependency{d, d2} {
		a, err := stanch.Ask(t.Context(), d, stanchtest.NewScript(reply{Err: errOther}).Call, none)
		if a.Source != "" || !errors.Is(err, errOther) || !errors.Is(err, fallback.ErrTooOld) {
			t.Errorf("%+v, %v", a, err)
		}
	}
	if rec.Count(stanch.StepFallback) != 1 {
		t.Errorf("events %q", rec.Strings())
	}
	if _, err := stanch.Ask(t.Context(), d, stanchtest.NewScript(reply{Err: errOther}).Call); err != errOther {
		t.Errorf("without alternatives: %v", err)
	}
}

// A faulty chain shows before anything is called, and not in the first incident.
func TestAskChecksItsAlternatives(t *testing.T) {
	d := stanch.Must(stanch.New("d", bounded))
	s := stanchtest.NewScript(reply{Value: 7})
	load := func(context.Context) (int, error) { return 0, nil }
	_, err := stanch.Ask(t.Context(), d, s.Call,
		stanch.Or("live", load),
		stanch.Or("twice", load), stanch.Or("twice", load),
		stanch.Or[int]("nothing", nil),
		stanch.From("other", stanch.Guard(d, load)))
	if err == nil || s.Calls() != 0 {
		t.Fatalf("%v after %d calls", err, s.Calls())
	}
	for i, part := range []string{`alternatives[0]: name must not be "live"`, `alternatives[2]: name "twice" is used twice`, "alternatives[3]: ", `alternatives[4]: "other" is guarded by dependency "d"`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("fault %d is missing in %v", i, err)
		}
	}
}

// An alternative must work when nothing else does: a guarded call in it is refused.
func TestNestedCallIsRefused(t *testing.T) {
	d := stanch.Must(stanch.New("d", bounded))
	other := stanch.Must(stanch.New("other", stanch.Config{}))
	s := stanchtest.NewScript(reply{Value: 7})
	_, err := stanch.Ask(t.Context(), d, stanchtest.NewScript(reply{Err: errOther}).Call,
		stanch.Or("second source", func(ctx context.Context) (int, error) { return stanch.Do(ctx, other, s.Call) }))
	if !errors.Is(err, stanch.ErrNested) || !errors.Is(err, errOther) || s.Calls() != 0 {
		t.Errorf("%v after %d calls", err, s.Calls())
	}
}

// Alternatives are bounded in time by the dependency's clock, and the caller's
// expired deadline does not keep them from being asked.
func TestAlternativeIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := stanch.Must(stanch.New("d", cfg(func(c *stanch.Config) { c.Fallback.Timeout = 20 * ms })))
		ctx, cancel := context.WithTimeout(t.Context(), 50*ms)
		defer cancel()
		start := time.Now()
		a, err := stanch.Ask(ctx, d, stanchtest.NewScript(reply{After: stanchtest.Forever}).Call,
			stanch.Or("memory", func(context.Context) (int, error) { return 5, nil }))
		if err != nil || a.Value != 5 || time.Since(start) != 50*ms {
			t.Errorf("%+v, %v after %v", a, err, time.Since(start))
		}
		start = time.Now()
		_, err = stanch.Ask(t.Context(), d, stanchtest.NewScript(reply{Err: errOther}).Call,
			stanch.Or("slow", stanchtest.NewScript(reply{After: stanchtest.Forever}).Call))
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 20*ms {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

package stanch_test

import (
	"testing"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/stanchtest"
)

func TestAllObserversAreTold(t *testing.T) {
	var order []string
	named := func(name string) stanch.Option {
		return stanch.WithObserver(stanch.ObserverFunc(func(e stanch.Event) {
			if e.Step == stanch.StepDone {
				order = append(order, name+" "+e.Dependency)
			}
		}))
	}
	d := stanch.Must(stanch.New("d", bounded, named("a"), named("b"), named("c")))
	stanch.Do(t.Context(), d, stanchtest.NewScript[int]().Call)
	if len(order) != 3 || order[0] != "a d" || order[1] != "b d" || order[2] != "c d" {
		t.Errorf("told %q", order)
	}
}

func TestClassifier(t *testing.T) {
	var rec stanchtest.Recorder
	d := stanch.Must(stanch.New("d", retrying(nil), stanch.WithObserver(&rec), stanch.WithClassifier(func(err error) outcome.Verdict {
		if err == errOther {
			return outcome.Verdict{Outcome: outcome.Success}
		}
		return outcome.Classify(err)
	})))
	if _, err := stanch.Do(t.Context(), d, stanchtest.NewScript(reply{Err: errOther}).Call); err != errOther {
		t.Error(err)
	}
	events := rec.Events()
	if last := events[len(events)-1]; last.Result != stanch.ResultAnswer || last.Attempt != 1 {
		t.Errorf("events %q", rec.Strings())
	}
}

// A share of a pool takes the place of the bulkhead, whatever the Config says.
func TestShareOfAPool(t *testing.T) {
	pool, err := bulkhead.NewPool(3)
	if err != nil {
		t.Fatal(err)
	}
	share, err := pool.Share("d", bulkhead.Share{Guaranteed: 1, Max: 2})
	if err != nil {
		t.Fatal(err)
	}
	d := stanch.Must(stanch.New("d", holding, stanch.WithBulkhead(share)))
	if d.Bulkhead() != share {
		t.Error("it has a bulkhead of its own")
	}
	stanch.Do(t.Context(), d, stanchtest.NewScript[int]().Call)
	if s := share.Stats(); s.PeakInFlight != 1 || s.InFlight != 0 {
		t.Errorf("%+v", s)
	}
}

func TestNames(t *testing.T) {
	for step, want := range map[stanch.Step]string{stanch.StepAttempt: "attempt", stanch.StepDone: "done", 200: "step(200)"} {
		if got := step.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for result, want := range map[stanch.Result]string{stanch.ResultOK: "ok", stanch.ResultExcluded: "excluded", 200: "result(200)"} {
		if got := result.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

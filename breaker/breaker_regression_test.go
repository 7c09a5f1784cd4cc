package breaker

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

// go-kratos#2777: refused calls that are recorded as failures keep a breaker
// from seeing the recovery. A refusal leaves nothing to record.
func TestRefusalsAreNotOutcomes(t *testing.T) {
	r := newRig(t, tripping)
	r.calls(0, 1, outcome.Failure)
	for range 100 {
		p, ok := r.AllowAt(10 * ms)
		if ok {
			t.Fatal("admitted while open")
		}
		r.DoneAt(10*ms, p, outcome.Failure, 0) // even if somebody does
	}
	r.calls(1000*ms, 1, outcome.Success)
	r.state(1000*ms, Closed)
	if s := r.StatsAt(1000 * ms); s.Total != 0 || s.Consecutive != 0 {
		t.Errorf("refusals are counted: %+v", s)
	}
}

// gobreaker's rolling window: failures further apart than a bucket decay, and
// consecutive failures never add up.
func TestConsecutiveFailuresAreIndependentOfTheWindow(t *testing.T) {
	r := newRig(t, Config{Window: time.Second, Consecutive: 5})
	for i := range int64(5) {
		r.calls(i*60_000*ms, 1, outcome.Failure)
	}
	r.told("open: " + ReasonConsecutive)
}

// Sentinel's statistic in one bucket forgets everything at each boundary, so
// that failures astride one do not open.
func TestNoBoundaryForgetsTheWindow(t *testing.T) {
	for offset := int64(0); offset < 1000; offset += 50 {
		r := newRig(t, Config{Window: time.Second})
		for i := range int64(20) {
			r.calls((offset+i*40)*ms, 1, outcome.Failure)
		}
		r.state((offset+760)*ms, Open)
	}
}

// cep21/circuit: a ratio that is truncated to whole per cent, or a threshold
// multiplied by the total, misses equality.
func TestRatioIsExactAtTheThreshold(t *testing.T) {
	for of100 := 1; of100 <= 100; of100++ {
		r := newRig(t, Config{Calls: 100, MinCalls: 100, FailureRatio: float64(of100) / 100})
		r.calls(0, 100-of100, outcome.Success)
		r.calls(0, of100-1, outcome.Failure)
		r.state(0, Closed)
		r.calls(0, 1, outcome.Failure)
		r.state(0, Open)
	}
}

// cep21/circuit: the first requests after an idle time were lost, because a
// bucket was published before it was cleared.
func TestCallsAfterAnIdleTimeAreCounted(t *testing.T) {
	r := newRig(t, Config{Window: time.Second})
	r.calls(0, 5, outcome.Failure)
	r.calls(3_600_000*ms, 7, outcome.Success)
	if s := r.StatsAt(3_600_000 * ms); s.Total != 7 || s.Failures != 0 {
		t.Errorf("%+v, want 7 calls", s)
	}
}

// cep21/circuit: a breaker that was forced open still probed.
func TestForcedOpenDoesNotProbe(t *testing.T) {
	cfg := tripping
	cfg.Trickle.First = time.Millisecond
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	r.ForceOpenAt(1 * ms)
	for now := int64(0); now < 100_000*ms; now += 100 * ms {
		r.refuse(now)
	}
}

// failsafe-go#97: the state reads open until the next call, however long ago
// the cooldown was over.
func TestStateAppliesTheClock(t *testing.T) {
	r := newRig(t, tripping)
	r.calls(0, 1, outcome.Failure)
	r.state(999*ms, Open)
	r.state(1000*ms, HalfOpen)
	if got := r.RetryAfterAt(5000 * ms); got != 0 {
		t.Errorf("retry after %v when half-open", got)
	}
	if s := r.StatsAt(5000 * ms); s.State != HalfOpen || s.Since != 1000*ms {
		t.Errorf("%+v", s)
	}
}

// Polly, Sentinel: windows on the wall clock are emptied, or never move, when
// it is set. Instants here are monotonic; one that runs backwards does no harm.
func TestTimeRunningBackwards(t *testing.T) {
	r := newRig(t, Config{Window: time.Second, Consecutive: 20, Cooldown: time.Second})
	r.calls(5000*ms, 10, outcome.Failure)
	r.calls(100*ms, 10, outcome.Failure)
	r.state(5000*ms, Open)
	r.refuse(0)
	r.refuse(5999 * ms)
	p := r.allow(6000 * ms)
	r.DoneAt(10*ms, p, outcome.Failure, -time.Hour)
	r.refuse(6999 * ms) // the cooldown is not shorter for it
	r.calls(7000*ms, 1, outcome.Success)
	r.state(0, Closed)
}

// gobreaker, cep21/circuit: a callback that calls the breaker deadlocks.
// cep21/circuit: transitions are reported twice or out of order. Here what a
// callback causes is told after what it was told.
func TestCallbackMayCallTheBreaker(t *testing.T) {
	var b *Breaker
	var got []string
	depth := 0
	b, err := New(tripping, Options{OnTransition: func(m Transition) {
		depth++
		defer func() { depth-- }()
		if depth > 1 {
			t.Error("a transition is told inside another")
		}
		got = append(got, m.To.String())
		b.StatsAt(m.At)
		b.AllowAt(m.At)
		switch m.To {
		case Open:
			b.ForceOpenAt(m.At)
			b.AutoAt(m.At)
		case ForcedOpen:
			b.StateAt(m.At)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := b.AllowAt(0)
	b.DoneAt(0, p, outcome.Failure, 0)
	if len(got) != 3 || got[0] != "open" || got[1] != "forced-open" || got[2] != "closed" {
		t.Errorf("told %q", got)
	}
}

// A callback that panics must not leave a lock held, nor stop what follows
// from being told.
func TestPanickingCallback(t *testing.T) {
	var told []State
	b, err := New(tripping, Options{OnTransition: func(m Transition) {
		told = append(told, m.To)
		panic("callback")
	}})
	if err != nil {
		t.Fatal(err)
	}
	swallow := func(f func()) {
		defer func() { _ = recover() }()
		f()
	}
	p, _ := b.AllowAt(0)
	swallow(func() { b.DoneAt(0, p, outcome.Failure, 0) })
	swallow(func() { p, _ = b.AllowAt(1000 * ms) }) // the probe's permit is lost with the panic
	swallow(func() { b.StateAt(31_000 * ms) })      // and its place comes back with the lease
	swallow(func() { b.StateAt(32_000 * ms) })
	swallow(func() { b.StateAt(32_000 * ms) }) // two transitions were met at once: one each
	if want := []State{Open, HalfOpen, Open, HalfOpen}; len(told) != len(want) || told[3] != want[3] {
		t.Errorf("told %v, want %v", told, want)
	}
	p, ok := b.AllowAt(32_000 * ms)
	swallow(func() { b.DoneAt(32_000*ms, p, outcome.Success, 0) })
	if !ok || b.StateAt(32_000*ms) != Closed {
		t.Error("the breaker is stuck")
	}
}

package breaker

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

func TestForced(t *testing.T) {
	cfg := tripping
	cfg.Trickle.First = time.Millisecond
	cfg.Ramp = time.Second
	r := newRig(t, cfg)

	old := r.allow(0)
	r.ForceOpenAt(1 * ms)
	r.ForceOpenAt(2 * ms)
	r.refuse(math.MaxInt64)
	if got := r.RetryAfterAt(2 * ms); got != time.Second {
		t.Errorf("retry after %v, want the cooldown", got)
	}
	r.DoneAt(3*ms, old, outcome.Success, 0)
	r.state(3*ms, ForcedOpen)

	r.ForceClosedAt(4 * ms)
	r.calls(5*ms, 50, outcome.Failure)
	r.state(5*ms, ForcedClosed)
	if s := r.StatsAt(5 * ms); s.Total != 50 || s.Consecutive != 50 {
		t.Errorf("forced closed does not count: %+v", s)
	}
	r.AutoAt(6 * ms)
	r.AutoAt(7 * ms)
	r.calls(7*ms, 3, outcome.Success) // no ramp: all was admitted before
	r.calls(8*ms, 1, outcome.Failure)
	r.state(8*ms, Open)

	r.ForceOpenAt(9 * ms)
	r.AutoAt(10 * ms)
	r.allow(10 * ms)
	r.refuse(10 * ms) // ramp
	r.ForceClosedAt(11 * ms)
	r.AutoAt(12 * ms)
	r.calls(12*ms, 3, outcome.Success) // it does not go on
	r.told("forced-open: "+ReasonForced, "forced-closed: "+ReasonForced, "closed: "+ReasonAuto,
		"open: "+ReasonConsecutive, "forced-open: "+ReasonForced, "closed: "+ReasonAuto,
		"forced-closed: "+ReasonForced, "closed: "+ReasonAuto)
}

func TestDarkDecidesButRefusesNothing(t *testing.T) {
	live, dark := tripping, tripping
	dark.Dark = true
	a, b := newRig(t, live), newRig(t, dark)
	for now := int64(0); now < 5000*ms; now += 10 * ms {
		o := outcome.Failure
		if now >= 2500*ms {
			o = outcome.Success
		}
		p, ok := a.AllowAt(now)
		q := b.allow(now)
		if ok == q.WouldRefuse() {
			t.Fatalf("at %v: admitted %v, would refuse %v", time.Duration(now), ok, q.WouldRefuse())
		}
		a.DoneAt(now, p, o, 0)
		b.DoneAt(now, q, o, 0)
	}
	if !slices.Equal(a.moves, b.moves) || len(a.moves) < 4 {
		t.Errorf("transitions differ:\n%v\n%v", a.moves, b.moves)
	}
	sa, sb := a.StatsAt(0), b.StatsAt(0)
	if sa.Refused == 0 || sa.Refused != sb.WouldRefuse || sb.Refused != 0 || sa.WouldRefuse != 0 {
		t.Errorf("refused %d, would refuse %d", sa.Refused, sb.WouldRefuse)
	}
	b.ForceOpenAt(6000 * ms)
	b.allow(6000 * ms)
}

func TestStats(t *testing.T) {
	r := newRig(t, Config{SlowCall: time.Second, Consecutive: 3, Cooldown: time.Second})
	r.DoneAt(0, r.allow(0), outcome.Success, 2*time.Second)
	r.calls(0, 2, outcome.Failure)
	if got, want := r.StatsAt(0), (Stats{Total: 3, Failures: 2, Slow: 1, Consecutive: 2}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	r.calls(1*ms, 1, outcome.Failure)
	r.refuse(1 * ms)
	r.allow(1001 * ms)
	if got, want := r.StatsAt(1001*ms), (Stats{State: HalfOpen, Since: 1001 * ms, Probes: 1, Opened: 1, Refused: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestShorthandsUseTheMonotonicClock(t *testing.T) {
	b, _ := New(Config{Consecutive: 1, Cooldown: time.Hour}, Options{})
	p, ok := b.Allow()
	b.Done(p, outcome.Failure, 0)
	if !ok || b.State() != Open {
		t.Fatalf("admitted %v, then %v", ok, b.State())
	}
	if _, ok := b.Allow(); ok {
		t.Error("admitted while open")
	}
}

func TestStateNames(t *testing.T) {
	var got []string
	for s := range ForcedClosed + 2 {
		got = append(got, s.String())
	}
	if want := []string{"closed", "open", "half-open", "forced-open", "forced-closed", "state(5)"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

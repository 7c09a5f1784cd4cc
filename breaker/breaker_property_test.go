package breaker

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
	"pgregory.net/rapid"
)

// drawConfig draws any configuration with times of milliseconds to seconds.
func drawConfig(t *rapid.T) Config {
	span := func(name string, least, most int) time.Duration {
		return time.Duration(rapid.IntRange(least, most).Draw(t, name)) * time.Millisecond
	}
	cfg := Config{
		MinCalls:       rapid.IntRange(0, 10).Draw(t, "min calls"),
		FailureRatio:   float64(rapid.IntRange(0, 10).Draw(t, "failure tenths")) / 10,
		SlowCall:       span("slow call", 0, 1) * 100,
		Consecutive:    rapid.IntRange(0, 5).Draw(t, "consecutive"),
		Cooldown:       span("cooldown", 0, 2000),
		CooldownFactor: rapid.SampledFrom([]float64{0, 0.1, 1, 2, 10}).Draw(t, "factor"),
		CooldownJitter: rapid.SampledFrom([]float64{0, 0.3, 0.99}).Draw(t, "jitter"),
		Probes:         rapid.IntRange(0, 4).Draw(t, "probes"),
		ProbeSuccesses: rapid.IntRange(0, 5).Draw(t, "probe successes"),
		ProbeLease:     span("lease", 0, 3000),
		Ramp:           span("ramp", 0, 2) * 500,
	}
	if rapid.Bool().Draw(t, "by count") {
		cfg.Calls = rapid.IntRange(10, 40).Draw(t, "calls")
	} else {
		cfg.Window = span("window", 1, 3000)
	}
	if rapid.Bool().Draw(t, "trickle") {
		cfg.Trickle = Trickle{
			First:   span("first", 1, 500),
			Factor:  rapid.SampledFrom([]float64{0, 1, 3}).Draw(t, "trickle factor"),
			Overlap: rapid.IntRange(0, 3).Draw(t, "overlap"),
		}
	}
	return cfg
}

// story plays a random story on a breaker and returns when it ended, with
// some permits that were never ended. check sees every permit that was given.
func story(t *rapid.T, b *Breaker, given func(now int64, p Permit), ended func(p Permit)) int64 {
	now := int64(0)
	var held []Permit
	for range rapid.IntRange(0, 150).Draw(t, "steps") {
		now += rapid.Int64Range(-20, 400).Draw(t, "gap") * ms
		now = max(now, 0)
		switch rapid.IntRange(0, 20).Draw(t, "step") {
		case 0:
			b.ForceOpenAt(now)
		case 1:
			b.ForceClosedAt(now)
		case 2, 3:
			b.AutoAt(now)
		case 4, 5, 6, 7, 8, 9, 10:
			if p, ok := b.AllowAt(now); ok {
				given(now, p)
				held = append(held, p)
			}
		default:
			if len(held) > 0 {
				i := rapid.IntRange(0, len(held)-1).Draw(t, "which")
				o := rapid.SampledFrom([]outcome.Outcome{outcome.Success, outcome.Failure, outcome.Failure, outcome.Ignored}).Draw(t, "outcome")
				took := time.Duration(rapid.IntRange(0, 200).Draw(t, "took")) * time.Millisecond
				b.DoneAt(now, held[i], o, took)
				ended(held[i])
				held = append(held[:i], held[i+1:]...)
			}
		}
	}
	return now
}

// Never are more probes in flight than are allowed: neither those that the
// breaker knows nor, as long as no lease is over, those that really are.
func TestProbesInFlightAreBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		cfg.ProbeLease = time.Hour
		b, err := New(cfg, Options{})
		if err != nil {
			t.Fatal(err)
		}
		flying := map[uint64]bool{}
		story(t, b, func(now int64, p Permit) {
			if !p.Probe() {
				return
			}
			flying[p.tag] = true
			s := b.StatsAt(now)
			limit := max(b.cfg.Probes, b.cfg.Trickle.Overlap)
			switch s.State {
			case HalfOpen:
				limit = b.cfg.Probes
			case Open:
				limit = b.cfg.Trickle.Overlap
			}
			if len(flying) > limit || s.Probes != len(flying) {
				t.Fatalf("%d probes in flight, %d known, while %v allows %d", len(flying), s.Probes, s.State, limit)
			}
		}, func(p Permit) { delete(flying, p.tag) })
	})
}

// Whatever came before, and whatever never ended: if the dependency is healthy
// from now on, the breaker is closed within a lease and a cooldown.
func TestAHealthyDependencyGetsItsBreakerBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		b, err := New(cfg, Options{})
		if err != nil {
			t.Fatal(err)
		}
		now := story(t, b, func(int64, Permit) {}, func(Permit) {})
		b.AutoAt(now)
		// A probe that hangs from before may reopen once its lease is over, and
		// those left of the spell before may hold the places until theirs are.
		step := 20 * ms
		limit := now + 2*int64(b.cfg.ProbeLease) + 2*b.longest + int64(b.cfg.Ramp) + int64(20+b.cfg.ProbeSuccesses)*step
		for ; now < limit; now += step {
			if p, ok := b.AllowAt(now); ok {
				b.DoneAt(now, p, outcome.Success, 0)
			}
		}
		if s := b.StateAt(now); s != Closed {
			t.Fatalf("%v after %v of health: %+v", s, time.Duration(limit), b.StatsAt(now))
		}
		if _, ok := b.AllowAt(now); !ok {
			t.Fatal("closed, but refuses")
		}
	})
}

// The transitions form a path, and none is dated before the one it follows.
func TestTransitionsAreAPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		state, at := Closed, int64(0)
		b, err := New(drawConfig(t), Options{OnTransition: func(m Transition) {
			if m.From != state || m.From == m.To || m.At < at || m.Reason == "" {
				t.Fatalf("%+v after %v at %d", m, state, at)
			}
			state, at = m.To, m.At
		}})
		if err != nil {
			t.Fatal(err)
		}
		story(t, b, func(int64, Permit) {}, func(Permit) {})
		if got := b.StateAt(0); got != state {
			t.Fatalf("state %v, told %v", got, state)
		}
	})
}

// The oracle of the fuzz test, on a few random stories in every run.
func TestAgainstTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		againstTheOracle(t, rapid.SliceOfN(rapid.Byte(), 20, 600).Draw(t, "story"))
	})
}

// A refusal's hint is neither negative nor beyond the longest cooldown, and a
// call is not refused for ever after it while the breaker is open.
func TestRetryAfterIsWhenACallMayPass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, err := New(drawConfig(t), Options{})
		if err != nil {
			t.Fatal(err)
		}
		now := story(t, b, func(int64, Permit) {}, func(Permit) {})
		s := b.StateAt(now)
		wait := b.RetryAfterAt(now)
		if wait < 0 || int64(wait) > b.longest {
			t.Fatalf("retry after %v, longest cooldown %v", wait, time.Duration(b.longest))
		}
		if s != Open || wait == time.Duration(b.longest) {
			return
		}
		if wait > 0 { // asking takes a probe when there is one
			if _, ok := b.AllowAt(now + int64(wait) - 1); ok {
				t.Fatalf("admitted before the %v were over", wait)
			}
		}
		if _, ok := b.AllowAt(now + int64(wait)); !ok && b.StatsAt(now+int64(wait)).Probes < b.cfg.Probes {
			t.Fatalf("refused although the %v are over", wait)
		}
	})
}

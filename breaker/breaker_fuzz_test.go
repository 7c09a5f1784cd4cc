package breaker

import (
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

// bytes hands out fuzz data, and zeros after its end.
type bytes []byte

func (b *bytes) next() int {
	if len(*b) == 0 {
		return 0
	}
	x := (*b)[0]
	*b = (*b)[1:]
	return int(x)
}

func (b *bytes) millis(most int) time.Duration {
	return time.Duration(b.next()%(most+1)) * 10 * time.Millisecond
}

func fuzzConfig(b *bytes) Config {
	cfg := Config{
		MinCalls:        b.next() % 8,
		FailureRatio:    float64(b.next()%11) / 10,
		SlowCall:        b.millis(5),
		Consecutive:     b.next() % 5,
		Cooldown:        b.millis(100),
		CooldownFactor:  []float64{0, 0.1, 2, 10}[b.next()%4],
		Probes:          b.next() % 4,
		ProbeSuccesses:  b.next() % 4,
		ProbeLease:      b.millis(200),
		Ramp:            b.millis(60),
		ConsecutiveSpan: 0,
	}
	if cfg.Consecutive > 0 {
		cfg.ConsecutiveSpan = b.millis(10)
	}
	if n := b.next() % 30; n > 8 {
		cfg.Calls = n
	} else {
		cfg.Window = time.Duration(n) * 70 * time.Millisecond
	}
	if first := b.millis(20); first > 0 {
		cfg.Trickle = Trickle{First: first, Factor: float64(b.next() % 4), Overlap: b.next() % 4}
	}
	return cfg
}

// FuzzAgainstTheOracle plays any story on a breaker and on its plain model.
func FuzzAgainstTheOracle(f *testing.F) {
	f.Add([]byte{3, 5, 0, 2, 30, 2, 2, 1, 90, 20, 3, 5, 8, 1, 1,
		0, 5, 1, 0, 1, 1, 0, 9, 0, 0, 5, 1, 1, 1, 0, 40, 0, 0, 0, 9, 0, 1, 0, 0, 40, 2, 0, 30, 1, 0, 2})
	f.Add([]byte{1, 1, 1, 1, 10, 1, 1, 1, 20, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 90, 0, 0, 200, 0, 0, 1, 1, 0, 1, 3, 9, 1, 4, 9, 1, 5, 9})
	f.Fuzz(func(t *testing.T, data []byte) { againstTheOracle(t, data) })
}

// againstTheOracle reads a configuration and a story from data, and fails at
// the first difference.
func againstTheOracle(t interface{ Fatalf(string, ...any) }, data []byte) {
	in := bytes(data)
	cfg := fuzzConfig(&in)
	var told []Transition
	b, err := New(cfg, Options{OnTransition: func(m Transition) { told = append(told, m) }})
	if err != nil {
		t.Fatalf("%+v: %v", cfg, err)
	}
	want := newOracle(cfg)
	type held struct {
		p Permit
		t ticket
	}
	var holding []held
	now := int64(0)
	for len(in) > 0 {
		step := in.next() % 12
		now += int64(in.millis(255)) * int64(in.next()%3) / 2
		switch step {
		case 0, 1, 2, 3, 4:
			p, ok := b.AllowAt(now)
			wp, wok := want.allow(now)
			if ok != wok {
				t.Fatalf("%+v\nat %v: admitted %v, the oracle says %v, %v", cfg, time.Duration(now), ok, wok, want.state)
			}
			if ok {
				holding = append(holding, held{p, wp})
			}
		case 5, 6, 7, 8:
			if len(holding) == 0 {
				continue
			}
			i := in.next() % len(holding)
			o := []outcome.Outcome{outcome.Success, outcome.Failure, outcome.Failure, outcome.Ignored}[in.next()%4]
			took := in.millis(10)
			b.DoneAt(now, holding[i].p, o, took)
			want.done(now, holding[i].t, o, took)
			if !holding[i].p.Probe() || in.next()%2 == 0 { // a probe may be ended twice
				holding = slices.Delete(holding, i, i+1)
			}
		case 9:
			b.ForceOpenAt(now)
			want.force(now, ForcedOpen)
		case 10:
			b.ForceClosedAt(now)
			want.force(now, ForcedClosed)
		case 11:
			b.AutoAt(now)
			want.auto(now)
		}
		s := b.StatsAt(now)
		want.pass(now)
		total, failures, slow := want.window(now)
		if s.State != want.state || s.Total != total || s.Failures != failures || s.Slow != slow || s.Probes != want.flying() {
			t.Fatalf("%+v\nat %v: %+v, the oracle says %v: %d calls, %d failures, %d slow, %d probes",
				cfg, time.Duration(now), s, want.state, total, failures, slow, want.flying())
		}
	}
	if !slices.Equal(told, want.told) {
		t.Fatalf("%+v\ntold\n%+v\nthe oracle says\n%+v", cfg, told, want.told)
	}
}

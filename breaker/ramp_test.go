package breaker

import (
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

func TestRampAdmitsEvenly(t *testing.T) {
	cfg := tripping
	cfg.Ramp, cfg.RampFrom = time.Second, 0.25
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	r.calls(1000*ms, 1, outcome.Success)
	var picture strings.Builder
	for now := 1000 * ms; now < 2100*ms; now += 20 * ms {
		if p, ok := r.AllowAt(now); ok {
			r.DoneAt(now, p, outcome.Success, 0)
			picture.WriteByte('x')
		} else {
			picture.WriteByte('.')
		}
	}
	const want = "x..x..x..x..x.x.x.x.x.xx.xx.xx.xx.xxxx.xxxxxxx.xxxxxxxx"
	if got := picture.String(); got != want {
		t.Errorf("ramp from a quarter over 50 calls:\n%s\nwant\n%s", got, want)
	}
	if p, _ := r.AllowAt(2200 * ms); p.kind != call || r.word.Load()&1 == 0 {
		t.Error("the path without a lock is not used after the ramp")
	}
}

func TestReopeningOnTheRampIsTheSameOutage(t *testing.T) {
	cfg := tripping
	cfg.Ramp, cfg.CooldownFactor = time.Second, 2
	r := newRig(t, cfg)
	r.calls(0, 1, outcome.Failure)
	r.calls(1000*ms, 1, outcome.Success)
	r.calls(1100*ms, 1, outcome.Failure)
	r.refuse(3099 * ms)
	r.calls(3100*ms, 1, outcome.Success)
	r.calls(5000*ms, 1, outcome.Failure) // the ramp was over
	r.refuse(5999 * ms)
	r.allow(6000 * ms)
}

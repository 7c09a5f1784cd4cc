package adaptive

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/window"
	"github.com/stanch-go/stanch/outcome"
)

func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, n)) }

func TestRejectProbability(t *testing.T) {
	th := must(NewThrottle(ThrottleConfig{}, nil))
	for _, tt := range []struct {
		calls, refused int
		want           float64
	}{
		{0, 0, 0}, {1, 0, 0}, {1, 1, 0.5}, {100, 50, 0}, {100, 75, 50.0 / 101}, {9, 9, 0.9}, {1000, 1000, 0.9},
	} {
		if got := th.reject(window.Counts{Total: tt.calls, Failures: tt.refused}); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// second by second: a service that accepts all, then nothing, then all again.
func TestThrottleSeesTheRecovery(t *testing.T) {
	th := must(NewThrottle(ThrottleConfig{}, seeded(1)))
	sent := make([]int, 160)
	for i := range sent {
		for k := range int64(100) {
			now := int64(i)*second + k*10*ms
			if !th.AllowAt(now) {
				continue
			}
			sent[i]++
			o := outcome.Success
			if i >= 20 && i < 80 {
				o = outcome.Failure
			}
			th.DoneAt(now, o)
		}
	}
	count := func(from, to int) (n int) {
		for _, s := range sent[from:to] {
			n += s
		}
		return n / (to - from)
	}
	if n := count(0, 20); n != 100 {
		t.Errorf("healthy: %d of 100 a second are sent", n)
	}
	if n := count(60, 80); n < 7 || n > 13 {
		t.Errorf("down: %d of 100 a second are sent, want a tenth", n)
	}
	if n := count(150, 160); n != 100 {
		t.Errorf("70 s after the recovery %d of 100 a second are sent: %v", n, sent)
	}
	if s := th.StatsAt(160 * second); s.Reject != 0 || s.Allowed+s.Rejected != 16000 {
		t.Errorf("%+v", s)
	}
}

func TestThrottleIgnores(t *testing.T) {
	th := must(NewThrottle(ThrottleConfig{}, seeded(1)))
	for range 1000 {
		if !th.AllowAt(5) {
			t.Fatal("refused for calls that say nothing")
		}
		th.DoneAt(5, outcome.Ignored)
	}
}

func TestThrottleNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := must(NewThrottle(ThrottleConfig{}, seeded(1)))
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 500 {
					if th.Allow() {
						th.Done(outcome.Failure)
					}
				}
			})
		}
		wg.Wait()
		time.Sleep(31 * time.Second) // virtual
		if !th.Allow() {
			t.Error("refused after the window")
		}
	})
}

func TestThrottleAllocatesNothing(t *testing.T) {
	th := must(NewThrottle(ThrottleConfig{}, seeded(1)))
	now := int64(0)
	if n := testing.AllocsPerRun(1000, func() {
		now += 100 * ms
		if th.AllowAt(now) {
			th.DoneAt(now, outcome.Failure)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

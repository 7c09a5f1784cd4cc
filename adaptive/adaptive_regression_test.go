package adaptive

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

// Netflix's Gradient2 (concurrency-limits #137): during an outage in which every
// call takes as long as the timeout, the long-term latency catches up with it, and
// after 509 windows the limit was at its maximum, with the dependency still down.
func TestGradientClimbedDuringAnOutage(t *testing.T) {
	c := newControl(Config{Max: 200}.Effective())
	told(&c, 40, 0, 50*time.Millisecond)
	for i := range 2000 {
		told(&c, 1, 100, 0)
		if i > 10 && c.limit > 2 {
			t.Fatalf("the limit is %v after %d windows of timeouts", c.limit, i)
		}
	}
	if c.base < 49e6 || c.base > 51e6 {
		t.Errorf("the outage has made %v of a base of 50 ms", time.Duration(c.base))
	}
}

// The same where one call in ten still succeeds, and takes as long as before:
// the latency of the survivors says that all is well.
func TestSurvivorsHidTheLosses(t *testing.T) {
	c := newControl(Config{}.Effective())
	told(&c, 40, 0, 50*time.Millisecond)
	told(&c, 12, 90, 50*time.Millisecond)
	if c.limit > 2 {
		t.Errorf("the limit is %v with nine of ten lost", c.limit)
	}
}

// go-concurrency-limits #166, #167 and Gradient2: the wrong way round, quick
// failures lowered the latency that the limit was grown by.
func TestQuickFailuresLookedFast(t *testing.T) {
	c := newControl(Config{}.Effective())
	told(&c, 8, 0, 50*time.Millisecond)
	before := c.limit
	var w tally
	for i := range int64(100) {
		w.add(i, int(before), i%2 == 0, time.Duration(50*time.Millisecond)*time.Duration(i%2))
	}
	s := w.sample()
	if s.latency != 50e6 {
		t.Errorf("the latency with refusals is %v", time.Duration(s.latency))
	}
	if c.update(0, s); c.limit >= before {
		t.Errorf("the limit went from %v to %v with half lost", before, c.limit)
	}
}

// concurrency-limits #37: one lucky fast window became the latency of reference,
// and the limit collapsed, since nothing ever was so fast again.
func TestLuckyWindowCollapsedTheLimit(t *testing.T) {
	c := newControl(Config{}.Effective())
	told(&c, 40, 0, 50*time.Millisecond)
	before := c.limit
	told(&c, 1, 0, time.Millisecond)
	told(&c, 20, 0, 50*time.Millisecond)
	if c.limit < before {
		t.Errorf("the limit fell from %v to %v", before, c.limit)
	}
}

// concurrency-limits #165, Envoy PR #11579: the probe took what it measured under
// a queue for the latency without one, and the limit drifted upwards. With 20
// workers of 50 ms and a limit of 200, a call takes 500 ms.
func TestProbeUnderAQueueRaisedTheBase(t *testing.T) {
	c := newControl(Config{Initial: 200}.Effective())
	now := int64(0)
	for range 60 {
		now += second
		c.update(now, sample{calls: 1000, peak: int(c.limit), latency: max(50e6, 50e6*c.limit/20)})
	}
	if c.limit > 26 || c.base > 52e6 {
		t.Errorf("limit %v, base %v", c.limit, time.Duration(c.base))
	}
}

// Envoy #8337, #18152, #46532: to measure the latency, the limit was pinned to 3
// again and again, and healthy traffic refused. Here a probe leaves 60 % of the
// limit, for two windows a minute.
func TestProbeRefusedHealthyTraffic(t *testing.T) {
	c := newControl(Config{}.Effective())
	c.limit = 100
	now, below, windows := int64(0), 0, 0
	for ; now < 600*second; now += second / 2 {
		c.update(now, sample{calls: 400, peak: int(c.limit), latency: max(50e6, 50e6*c.limit/84)})
		if windows++; c.limit < 90 {
			below++
		}
		if now > 30*second && c.limit < 50 {
			t.Fatalf("the limit is %v", c.limit)
		}
	}
	if share := float64(below) / float64(windows); share > 0.03 {
		t.Errorf("%.1f %% of the time goes to probes", share*100)
	}
}

// Envoy #38338: with a floor above what the dependency can take it never recovers.
// The default is 2, not 20.
func TestFloorKeptItSick(t *testing.T) {
	if got := (Config{}).Effective().Min; got > 2 {
		t.Errorf("the floor is %d", got)
	}
}

// concurrency-limits grows when half of the limit is in use, and cinar/resile
// with every fast call: at low load the limit went to its maximum, and was no
// limit any more when it was needed.
func TestIdleLimitGrew(t *testing.T) {
	for _, algorithm := range []Algorithm{Gradient, Vegas, AIMD} {
		c := newControl(Config{Algorithm: algorithm}.Effective())
		for range 1000 {
			c.update(0, sample{calls: 100, peak: int(c.limit) - 1, latency: 50e6})
		}
		if c.limit != 20 {
			t.Errorf("%s: the limit is %v", algorithm, c.limit)
		}
	}
}

// go-concurrency-limits' listener and aegis' DoneFunc may be called twice, and
// free two places then; its handlers call them without defer, so that a panic
// keeps the place for ever.
func TestDoneTwiceAndNever(t *testing.T) {
	l := must(New(Config{Initial: 1, Max: 1}))
	call := func(end func()) {
		defer func() { _ = recover() }()
		p, ok := l.AcquireAt(0)
		if !ok {
			t.Error("a place is gone")
			return
		}
		defer l.DoneAt(0, p, outcome.Failure, 0)
		end()
		l.DoneAt(0, p, outcome.Success, 0)
	}
	for _, end := range []func(){func() {}, func() { panic("broken") }, runtime.Goexit} {
		var wg sync.WaitGroup
		wg.Go(func() { call(end) })
		wg.Wait()
	}
	first, _ := l.AcquireAt(0)
	l.DoneAt(0, first, outcome.Success, 0)
	second, _ := l.AcquireAt(0)
	l.DoneAt(0, first, outcome.Success, 0) // late: the place is second's now
	if _, ok := l.AcquireAt(0); ok {
		t.Error("a permit that was given back freed the place of another")
	}
	l.DoneAt(0, second, outcome.Success, 0)
}

// go-concurrency-limits #176, #238: admission and estimator each had a limit, and
// the first one's stayed at its initial value.
func TestAdmissionKeptItsOwnLimit(t *testing.T) {
	l := must(New(Config{Initial: 1, Min: 1}))
	feed(l, 0, 1000)
	n := 0
	for ; ; n++ {
		if _, ok := l.AcquireAt(0); !ok {
			break
		}
	}
	if n != l.Limit() || n == 1 {
		t.Errorf("%d admitted with a limit of %d", n, l.Limit())
	}
}

// kratos #2777: calls refused here were counted as refused there, so that the
// throttle never saw the recovery. They are calls, but nobody has refused them:
// what counts against it is only what MaxReject bounds.
func TestThrottleFedOnItself(t *testing.T) {
	th := must(NewThrottle(ThrottleConfig{}, seeded(3)))
	for i := range int64(3000) { // 30 s down
		if th.AllowAt(i * 10 * ms) {
			th.DoneAt(i*10*ms, outcome.Failure)
		}
	}
	for i := range int64(9000) {
		if now := 30*second + i*10*ms; th.AllowAt(now) {
			th.DoneAt(now, outcome.Success)
		}
	}
	if p := th.StatsAt(120 * second).Reject; p != 0 {
		t.Errorf("90 s after the recovery calls are dropped with %v", p)
	}
}

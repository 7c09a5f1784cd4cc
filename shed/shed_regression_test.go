package shed

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
)

// failsafe-go, go-concurrency-limits: a handler that panicked kept its place.
// aegis' DoneFunc, called twice, freed two.
func TestPanicAndDoneTwice(t *testing.T) {
	s := must(New(Config{Limit: 1}, nil, nil))
	serve := func(work func()) {
		defer func() { _ = recover() }()
		p, d := s.TryAcquire(Request{})
		if !d.OK {
			t.Error("the place is gone")
			return
		}
		defer s.Done(p, outcome.Failure, 0)
		work()
		s.Done(p, outcome.Success, 0)
	}
	var wg sync.WaitGroup
	for _, work := range []func(){func() {}, func() { panic("broken") }, runtime.Goexit, func() {}} {
		wg.Go(func() { serve(work) })
		wg.Wait()
	}
	if got := s.Stats(); got.InFlight != 0 {
		t.Errorf("%+v", got)
	}
}

// counting is a clock that counts what Acquire does to it.
type counting struct {
	clock.Clock
	waits atomic.Int64
}

func (c *counting) NewWaiter() clock.Waiter { return counted{c.Clock.NewWaiter(), c} }

type counted struct {
	clock.Waiter
	c *counting
}

func (w counted) Wait(ctx context.Context, until int64) clock.Ended {
	w.c.waits.Add(1)
	return w.Waiter.Wait(ctx, until)
}

// go-concurrency-limits #162: waiters spun. #241: a wake-up was lost. #204: two
// raced for one place. Here each waits once, and each place goes to one.
func TestWaitersSpunAndWereLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := must(New(Config{Limit: 1, Queue: 5, Interval: time.Minute}, nil, nil))
		p, _ := s.TryAcquire(Request{})
		c := &counting{Clock: clock.Real}
		var wg sync.WaitGroup
		var served atomic.Int64
		for range 5 {
			wg.Go(func() {
				if p, d := s.Acquire(t.Context(), c, c.Now(), Request{}); d.OK {
					served.Add(1)
					time.Sleep(time.Millisecond) // virtual
					s.Done(p, outcome.Success, time.Millisecond)
				}
			})
		}
		synctest.Wait()
		s.Done(p, outcome.Success, 0)
		wg.Wait()
		if served.Load() != 5 || c.waits.Load() != 5 {
			t.Errorf("%d served, %d waits", served.Load(), c.waits.Load())
		}
	})
}

// go-concurrency-limits #93: a caller that went away was not released; and a
// place handed to one who leaves at that moment was lost.
func TestLeavingWaiterKeptThePlace(t *testing.T) {
	s := must(New(Config{Limit: 1, Queue: 2}, nil, nil))
	p, _ := s.TryAcquireAt(0, Request{})
	gone := &waiter{Waiter: waker{func() {}}, since: 0}
	stays := &waiter{Waiter: waker{func() {}}, since: 0}
	s.enter(gone, 1, 0)
	s.enter(stays, 1, 0)
	s.DoneAt(1, p, outcome.Success, 0)
	if _, d := s.settle(1, gone, 0, true); d.OK || d.Reason != Canceled {
		t.Errorf("%+v", d)
	}
	if _, d := s.settle(1, stays, 0, false); !d.OK {
		t.Errorf("the place did not go to the next: %+v", d)
	}
	if got := s.Stats(); got.InFlight != 1 || got.Of(Critical).Admitted != 2 || got.Of(Critical).Canceled != 1 {
		t.Errorf("%+v", got)
	}
}

// slok/goresilience: its CoDel blocked for ever on a result that nobody read. A
// wake never blocks here, whether the waiter waits or has left.
func TestNobodyReadTheResult(t *testing.T) {
	s := must(New(Config{Limit: 1, Queue: 1}, nil, nil))
	p, _ := s.TryAcquireAt(0, Request{})
	w := &waiter{Waiter: clock.Real.NewWaiter()}
	s.enter(w, 1, 0)
	s.DoneAt(0, p, outcome.Success, 0) // wakes w, which does not wait yet
	if ended := w.Wait(t.Context(), clock.Never); ended != clock.Woken {
		t.Errorf("%v", ended)
	}
}

// resilience4j #1460: queued work was still begun after its caller had gone.
func TestWorkForNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := must(New(Config{Limit: 1, Interval: time.Second}, nil, nil))
		p, _ := s.TryAcquire(Request{})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		_, d := s.Wait(ctx, Request{})
		time.Sleep(time.Second) // virtual
		s.Done(p, outcome.Success, 0)
		if got := s.Stats(); d.OK || got.InFlight != 0 {
			t.Errorf("%+v, %+v", d, got)
		}
	})
}

// sentinel-golang's isolation checks first and counts later, so that many at once
// exceed the limit.
func TestCheckThenCount(t *testing.T) {
	s := must(New(Config{Limit: 3}, nil, nil))
	var wg sync.WaitGroup
	var in atomic.Int64
	for range 32 {
		wg.Go(func() {
			if _, d := s.TryAcquireAt(0, Request{}); d.OK {
				in.Add(1)
			}
		})
	}
	wg.Wait()
	if in.Load() != 3 {
		t.Errorf("%d in flight of 3", in.Load())
	}
}

// An estimate that only samples of admitted requests can correct is a trap: after
// a slow spell all have too little time, none is admitted, and it stays so. Envoy's
// limiters had it with latency (#38338); Finagle refuses a fifth at most.
func TestEstimateLockedEverybodyOut(t *testing.T) {
	s := must(New(Config{}, nil, nil))
	p, _ := s.TryAcquireAt(0, Request{})
	s.DoneAt(0, p, outcome.Success, 10*time.Second) // the only one so far, and very slow
	n := 0
	for ; n < 5000; n++ {
		if _, d := s.TryAcquireAt(second, Request{Until: second + 50*ms}); d.OK {
			break
		}
	}
	if n < 500 || n > 2000 {
		t.Errorf("the first is admitted after %d refusals", n)
	}
}

// Wakes one at a time in random order would not do: aegis' BBR limiter, once it
// had dropped a call, went on for a second whatever the load. Here the threshold
// is gone with the load.
func TestSheddingOutlivedTheLoad(t *testing.T) {
	s := must(New(Config{Limit: 1}, nil, seeded(1)))
	now := int64(0)
	for range 1000 { // nothing ever ends, so all are too many
		now += ms
		s.TryAcquireAt(now, Request{})
	}
	if !s.StatsAt(now).Shedding {
		t.Fatal("a thousand requests for one place are no overload")
	}
	now += 2 * second
	if s.StatsAt(now).Shedding {
		t.Error("nobody comes, and metrics tell of shedding until somebody does")
	}
	p, d := s.TryAcquireAt(now, Request{Priority: Sheddable, Level: 1})
	if s.StatsAt(now).Shedding || d.OK {
		t.Errorf("%+v %+v", s.Stats(), p)
	}
}

// This package's own: who had just entered the queue looked for a permit without
// the lock, while the one that ended was giving it one. The race detector sees
// it.
func TestEnteringAndGrantingMeet(t *testing.T) {
	s := must(New(Config{Limit: 1, Queue: 8, Interval: time.Minute}, nil, nil))
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				p, d := s.Wait(t.Context(), Request{})
				if !d.OK {
					t.Errorf("refused: %v", d.Reason)
					return
				}
				runtime.Gosched()
				s.Done(p, outcome.Success, time.Microsecond)
			}
		})
	}
	wg.Wait()
	if got := s.Stats(); got.InFlight != 0 || got.Waiting != 0 {
		t.Errorf("%+v", got)
	}
}

// Settings that change leave everybody where he is, and the load known: once a new
// shedder was made, which let in a whole limit more.
func TestSet(t *testing.T) {
	s := must(New(Config{Limit: 4}, nil, nil))
	var held []Permit
	for range 4 {
		p, _ := s.TryAcquireAt(0, Request{})
		held = append(held, p)
	}
	s.threshold.target, s.threshold.arrivals[0] = 8, 2
	if err := s.SetAt(1, Config{Limit: 2, Interval: 50 * time.Millisecond}, nil); err != nil {
		t.Fatal(err)
	}
	if s.threshold.target != 4 || s.threshold.arrivals[0] != 1 {
		t.Errorf("half an interval: %v of %v", s.threshold.target, s.threshold.arrivals[0])
	}
	for _, p := range held {
		if got := s.Stats(); got.InFlight >= 2 {
			if _, d := s.TryAcquireAt(1, Request{}); d.OK {
				t.Errorf("admitted, %d are in flight", got.InFlight)
			}
		}
		s.DoneAt(1, p, outcome.Success, 1)
	}
	if got := s.Stats(); got.InFlight != 0 || got.Limit != 2 {
		t.Errorf("%+v", got)
	}
	if err := s.SetAt(2, Config{Limit: -1}, nil); err == nil || s.Stats().Limit != 2 {
		t.Errorf("%v: what is faulty changes nothing", err)
	}
}

func TestSetWhileInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := must(New(Config{Limit: 1}, nil, nil))
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				for range 20 {
					p, d := s.Wait(t.Context(), Request{})
					if d.OK {
						time.Sleep(time.Millisecond)
					}
					s.Done(p, outcome.Success, time.Millisecond)
				}
			})
		}
		for n := range 10 {
			time.Sleep(time.Millisecond)
			if err := s.Set(Config{Limit: n, Queue: n, Interval: time.Duration(n+5) * time.Millisecond}, nil); err != nil {
				t.Error(err)
			}
		}
		all.Wait()
		if got := s.Stats(); got.InFlight != 0 || got.Waiting != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// This package's own: while a dependency stalls hardly a request begins, and so the
// threshold let hardly any pass; when places were free again it rose by a tenth an
// interval, and for three seconds most of them stayed so.
func TestAfterAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := must(New(Config{Limit: 20}, nil, seeded(1)))
		began := time.Now()
		const stall, again = 3 * time.Second, 4 * time.Second
		var served atomic.Int64 // in the second from half a second after the stall
		var all sync.WaitGroup
		for time.Since(began) < again+1500*time.Millisecond {
			time.Sleep(1250 * time.Microsecond) // 800 a second, and 400 can be done
			all.Go(func() {
				p, d := s.Wait(t.Context(), Request{})
				if !d.OK {
					return
				}
				at := time.Now()
				work := 50 * time.Millisecond
				if since := at.Sub(began); since > stall && since < again {
					work = again - since
				}
				time.Sleep(work)
				s.Done(p, outcome.Success, work)
				if since := at.Sub(began); since > again+500*time.Millisecond {
					served.Add(1)
				}
			})
		}
		all.Wait()
		if got := served.Load(); got < 360 {
			t.Errorf("%d served in the second after a stall, of 400 that could be", got)
		}
	})
}

package shed

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
)

func TestTryAcquire(t *testing.T) {
	s := must(New(Config{Limit: 2}, nil, seeded(1)))
	a, d1 := s.TryAcquireAt(0, Request{})
	b, d2 := s.TryAcquireAt(0, Request{Priority: Sheddable, Level: 1})
	none, d3 := s.TryAcquireAt(0, Request{Priority: CriticalPlus})
	if !d1.OK || !d2.OK || d3.OK || d3.Reason != Full || none != (Permit{}) {
		t.Fatalf("%+v %+v %+v", d1, d2, d3)
	}
	if d3.RetryAfter < 500*time.Millisecond || d3.RetryAfter > 1500*time.Millisecond {
		t.Errorf("RetryAfter %v", d3.RetryAfter)
	}
	for range 2 {
		s.DoneAt(0, none, outcome.Success, 0)
		s.DoneAt(0, a, outcome.Success, 0)
	}
	if got := s.Stats(); got.InFlight != 1 || got.Limit != 2 || got.Of(Critical).Admitted != 1 ||
		got.Of(Sheddable).Admitted != 1 || got.Of(CriticalPlus) != (Totals{Full: 1}) {
		t.Errorf("%+v", got)
	}
	s.DoneAt(0, b, outcome.Failure, 0)
}

func TestTheZeroConfigBoundsNothing(t *testing.T) {
	s := must(New(Config{}, nil, nil))
	for range 10_000 {
		if _, d := s.TryAcquireAt(5, Request{}); !d.OK {
			t.Fatalf("%+v", d)
		}
	}
	if got := s.Stats(); got.Limit != 0 || got.InFlight != 10_000 {
		t.Errorf("%+v", got)
	}
}

func TestDeadline(t *testing.T) {
	s := must(New(Config{}, nil, nil))
	serve := func(took time.Duration) {
		p, d := s.TryAcquireAt(0, Request{})
		if !d.OK {
			t.Fatal(d)
		}
		s.DoneAt(0, p, outcome.Success, took)
	}
	ask := func(now, until int64) Decision {
		p, d := s.TryAcquireAt(now, Request{Until: until})
		s.DoneAt(now, p, outcome.Ignored, 0)
		return d
	}
	if d := ask(10*ms, 11*ms); !d.OK {
		t.Errorf("refused without knowing how long it takes: %+v", d)
	}
	for range 20 {
		serve(50 * time.Millisecond)
	}
	for _, tt := range []struct {
		until int64
		ok    bool
	}{
		{0, true}, {clock.Never, true}, {61 * ms, true}, {60 * ms, true}, {59 * ms, false}, {10 * ms, false}, {ms, false}, {math.MinInt64, false},
	} {
		if d := ask(10*ms, tt.until); d.OK != tt.ok || !tt.ok && d != (Decision{Reason: Deadline}) {
			t.Errorf("at 10 ms, until %v: %+v", time.Duration(tt.until), d)
		}
	}
}

// held fills a shedder of one place, and returns the permit.
func held(t *testing.T, s *Shedder, now int64) Permit {
	t.Helper()
	p, d := s.TryAcquireAt(now, Request{Priority: CriticalPlus})
	if !d.OK {
		t.Fatalf("%+v", d)
	}
	return p
}

func TestQueueServesByPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := must(New(Config{Limit: 1, Queue: 3}, nil, seeded(1)))
		first := held(t, s, clock.Real.Now())
		var mu sync.Mutex
		var order []Priority
		var wg sync.WaitGroup
		refused := map[Priority]Reason{}
		for _, p := range []Priority{Sheddable, Critical, SheddablePlus, Critical, CriticalPlus} {
			wg.Go(func() {
				permit, d := s.Wait(t.Context(), Request{Priority: p})
				mu.Lock()
				defer mu.Unlock()
				if !d.OK {
					refused[p] = d.Reason
					return
				}
				order = append(order, p)
				s.Done(permit, outcome.Success, 0)
			})
			synctest.Wait()
		}
		s.Done(first, outcome.Success, 0)
		wg.Wait()
		if len(order) != 3 || order[0] != CriticalPlus || order[1] != Critical || order[2] != Critical {
			t.Errorf("served %v", order)
		}
		if refused[Sheddable] != Full || refused[SheddablePlus] != Full {
			t.Errorf("refused %v", refused)
		}
	})
}

func TestWaitEnds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ctx    func(context.Context) (context.Context, context.CancelFunc)
		until  time.Duration
		want   Reason
		waited time.Duration
	}{
		{"no place in time", context.WithCancel, 0, Delay, 100 * time.Millisecond},
		{"no time left", context.WithCancel, 70 * time.Millisecond, Deadline, 50 * time.Millisecond},
		{"deadline of the context", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 70*time.Millisecond)
		}, 0, Deadline, 50 * time.Millisecond},
		{"canceled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(30*time.Millisecond, cancel)
			return ctx, cancel
		}, 0, Canceled, 30 * time.Millisecond},
		{"canceled before", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			return ctx, cancel
		}, 0, Canceled, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := must(New(Config{Limit: 1}, nil, nil))
			p := held(t, s, clock.Real.Now())
			s.Done(p, outcome.Success, 20*time.Millisecond) // so it takes 20 ms
			p = held(t, s, clock.Real.Now())
			ctx, cancel := tt.ctx(t.Context())
			defer cancel()
			r := Request{}
			if tt.until > 0 {
				r.Until = clock.Real.Now() + int64(tt.until)
			}
			start := time.Now()
			_, d := s.Wait(ctx, r)
			if d.OK || d.Reason != tt.want || time.Since(start) != tt.waited {
				t.Errorf("%s: %+v after %v", tt.name, d, time.Since(start))
			}
			s.Done(p, outcome.Success, 0)
			if got := s.Stats(); got.Waiting != 0 || got.InFlight != 0 {
				t.Errorf("%s: %+v", tt.name, got)
			}
		})
	}
}

// limits is a limiter that is told its limit.
type limits struct {
	n       atomic.Int64
	samples atomic.Int64
	ask     *Shedder // asked under its own methods: no lock is held
}

func (l *limits) Limit() int {
	if l.ask != nil {
		l.ask.mu.Lock()
		l.ask.mu.Unlock() //lint:ignore SA2001 only to see that it can be had
	}
	return int(l.n.Load())
}

func (l *limits) SampleAt(_ int64, inFlight int, _ outcome.Outcome, _ time.Duration) {
	l.samples.Add(1)
	l.n.Add(1) // it grows with each
}

func TestLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limits{}
		l.n.Store(1)
		s := must(New(Config{Limit: 3}, l, nil))
		l.ask = s
		p := held(t, s, clock.Real.Now())
		var wg sync.WaitGroup
		var in atomic.Int64
		for range 4 {
			wg.Go(func() {
				if p, d := s.Wait(t.Context(), Request{}); d.OK {
					in.Add(1)
					time.Sleep(time.Second) // virtual
					s.Done(p, outcome.Success, time.Second)
				}
			})
		}
		synctest.Wait()
		s.Done(p, outcome.Success, 0) // the limit is 2 now: two more get in at once
		synctest.Wait()
		if in.Load() != 2 || s.Stats().Waiting != 2 {
			t.Errorf("%d in flight with a limit of 2, %+v", in.Load(), s.Stats())
		}
		wg.Wait()
		if got := s.Stats(); l.samples.Load() != 3 || got.Limit != 3 {
			t.Errorf("%d samples, %+v", l.samples.Load(), got)
		}
	})
}

func TestTimeGoesBack(t *testing.T) {
	s := must(New(Config{Limit: 1}, nil, nil))
	for _, now := range []int64{math.MaxInt64, 0, math.MinInt64, 5, math.MaxInt64, -1} {
		p, d := s.TryAcquireAt(now, Request{Until: math.MaxInt64 - 1})
		if now < math.MaxInt64-1 && !d.OK {
			t.Errorf("at %d: %+v", now, d)
		}
		s.DoneAt(now, p, outcome.Success, time.Duration(now))
		s.DoneAt(-now, p, outcome.Success, time.Duration(now))
	}
	// An hour back while shedding: it does not shed for an hour.
	hour := int64(time.Hour)
	s.lowest.Store(ranks - 1)
	s.began.Store(hour)
	ok := false
	for i := range int64(20) {
		p, d := s.TryAcquireAt(i*200*ms, Request{})
		s.DoneAt(i*200*ms, p, outcome.Success, 0)
		ok = ok || d.OK
	}
	if !ok {
		t.Error("nothing was admitted for four seconds")
	}
}

func TestConcurrently(t *testing.T) {
	s := must(New(Config{Limit: 4, Queue: 2, Interval: 6 * time.Millisecond}, nil, nil))
	var wg sync.WaitGroup
	var in, peak atomic.Int64
	for g := range 16 {
		wg.Go(func() {
			for i := range 200 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i%5)*time.Millisecond)
				p, d := s.Wait(ctx, Request{Priority: Priority(g%4 - 2)})
				if d.OK {
					peak.Store(max(peak.Load(), in.Add(1)))
					if n := in.Load(); n > 4 {
						t.Errorf("%d in flight", n)
					}
					in.Add(-1)
					s.Done(p, outcome.Success, time.Microsecond)
					s.Done(p, outcome.Success, time.Microsecond)
				}
				cancel()
			}
		})
	}
	wg.Wait()
	got := s.Stats()
	all := uint64(0)
	for _, x := range got.Totals {
		all += x.Admitted + x.Refused()
	}
	if got.InFlight != 0 || got.Waiting != 0 || all != 16*200 {
		t.Errorf("%d requests: %+v", all, got)
	}
}

func TestAllocatesNothing(t *testing.T) {
	s := must(New(Config{Limit: 1}, nil, nil))
	s.lowest.Store(Levels)
	now := int64(0)
	ctx := t.Context()
	if n := testing.AllocsPerRun(1000, func() {
		p, d := s.TryAcquireAt(now, Request{})
		if !d.OK {
			t.Fatal("refused")
		}
		s.TryAcquireAt(now, Request{})                                // no place
		s.Acquire(ctx, clock.Real, now, Request{Priority: Sheddable}) // no rank
		s.Acquire(ctx, clock.Real, now, Request{Until: -1})           // no time
		s.DoneAt(now, p, outcome.Success, time.Millisecond)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

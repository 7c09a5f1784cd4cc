package adaptive

import (
	"math"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

func TestPermits(t *testing.T) {
	l := must(New(Config{Initial: 2, Max: 2}))
	a, ok1 := l.AcquireAt(0)
	b, ok2 := l.AcquireAt(0)
	none, ok3 := l.AcquireAt(0)
	if !ok1 || !ok2 || ok3 || none != (Permit{}) {
		t.Fatalf("%v %v %v %v", ok1, ok2, ok3, none)
	}
	l.DoneAt(0, none, outcome.Failure, 0)
	if s := l.Stats(); s.InFlight != 2 || s.Admitted != 2 || s.Refused != 1 || s.Lost != 0 {
		t.Errorf("%+v", s)
	}
	l.DoneAt(0, a, outcome.Success, 0)
	l.DoneAt(0, b, outcome.Failure, 0)
	if s := l.Stats(); s.InFlight != 0 || s.Lost != 1 {
		t.Errorf("%+v", s)
	}
}

// told plays windows of 100 calls with the limit in use, and returns the limit
// after each and why.
func told(c *control, n int, lost int, latency time.Duration) (limits []int, reasons []Reason) {
	for range n {
		c.update(0, sample{calls: 100, lost: lost, peak: int(c.limit), latency: float64(latency)})
		limits, reasons = append(limits, int(c.limit)), append(reasons, c.reason)
	}
	return limits, reasons
}

func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		algorithm              Algorithm
		good, slow, lost, well []int
	}{
		// The first window only passes. The fifth finds that a probe is due, which
		// ends with the seventh. A first slow window may be a pause; the fall after
		// the second does not help, so the limit is back after the fourth.
		{Gradient, []int{20, 25, 31, 38, 22, 22, 38, 38}, []int{38, 23, 23, 38, 38, 46}, []int{23, 11, 5}, []int{8, 13, 19, 24}},
		{Vegas, []int{20, 27, 36, 45, 27, 27, 45, 45}, []int{45, 43, 41, 40, 38, 36}, []int{18, 9, 4}, []int{10, 16, 24, 32}},
		{AIMD, []int{20, 30, 45, 67, 101, 151}, []int{227, 341, 512, 768, 1000, 1000}, []int{500, 250, 125}, []int{187, 281, 421, 500}},
	} {
		c := newControl(Config{Algorithm: tt.algorithm}.Effective())
		for _, part := range []struct {
			name    string
			want    []int
			lost    int
			latency time.Duration
		}{
			{"good", tt.good, 0, 50 * time.Millisecond}, {"slow", tt.slow, 5, 100 * time.Millisecond},
			{"lost", tt.lost, 100, 0}, {"well", tt.well, 0, 50 * time.Millisecond},
		} {
			if got, why := told(&c, len(part.want), part.lost, part.latency); !slices.Equal(got, part.want) {
				t.Errorf("%s, %s: %v, want %v: %v", tt.algorithm, part.name, got, part.want, why)
			}
		}
	}
}

// feed plays calls, a hundred in each half second, with the limit in use.
func feed(l *Limiter, now int64, calls int) (until int64) {
	for range calls {
		now += 5 * ms
		l.SampleAt(now, l.Limit(), outcome.Success, 50*time.Millisecond)
	}
	return now
}

func TestIgnoredSaysNothing(t *testing.T) {
	l := must(New(Config{}))
	before := l.Stats()
	for now := range int64(1000) {
		p, _ := l.AcquireAt(now * second)
		l.DoneAt(now*second, p, outcome.Ignored, time.Hour)
	}
	after := l.Stats()
	after.Admitted = 0
	if after != before {
		t.Errorf("%+v, want %+v", after, before)
	}
}

func TestAnyTimes(t *testing.T) {
	l := must(New(Config{}))
	times := []int64{0, math.MaxInt64, math.MinInt64, -1, 5, math.MaxInt64, 0}
	for i := range 5000 {
		now := times[i%len(times)]
		p, ok := l.AcquireAt(now)
		if !ok {
			t.Fatal("refused")
		}
		l.DoneAt(now, p, outcome.Success, time.Duration(times[(i+3)%len(times)]))
	}
	if s := l.Stats(); s.Limit < 2 || s.Limit > 1000 || s.InFlight != 0 {
		t.Errorf("%+v", s)
	}
}

// A clock that goes back by an hour does not stop the limiter for an hour.
func TestTimeGoesBack(t *testing.T) {
	l := must(New(Config{}))
	now := feed(l, int64(time.Hour), 300)
	before := l.Limit()
	feed(l, now-int64(time.Hour), 600)
	if l.Limit() <= before {
		t.Errorf("the limit stays at %d", before)
	}
}

func TestNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := must(New(Config{Max: 30}))
		for l.Limit() < 30 {
			var permits []Permit
			for range l.Limit() {
				p, ok := l.Acquire()
				if !ok {
					t.Fatal("refused below the limit")
				}
				permits = append(permits, p)
			}
			time.Sleep(50 * time.Millisecond) // virtual
			for _, p := range permits {
				l.Done(p, outcome.Success, 50*time.Millisecond)
			}
		}
		if s := l.Stats(); s.Base != 50*time.Millisecond || s.Latency != s.Base || s.InFlight != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestConcurrently(t *testing.T) {
	l := must(New(Config{Initial: 4, Max: 8, Window: time.Millisecond}))
	var wg sync.WaitGroup
	for g := range int64(8) {
		wg.Go(func() {
			for i := range int64(2000) {
				now := i * 10_000
				p, ok := l.AcquireAt(now)
				if !ok {
					continue
				}
				o := outcome.Outcome((i + g) % 3)
				l.DoneAt(now, p, o, time.Duration(i))
				l.DoneAt(now, p, o, time.Duration(i))
			}
		})
	}
	wg.Wait()
	if s := l.Stats(); s.InFlight != 0 || s.Admitted+s.Refused != 16000 {
		t.Errorf("%+v", s)
	}
	for range l.Limit() {
		if _, ok := l.AcquireAt(0); !ok {
			t.Fatal("a permit is gone")
		}
	}
}

func TestAllocatesNothing(t *testing.T) {
	l := must(New(Config{Initial: 10, Max: 10}))
	var held [10]Permit
	now := int64(0)
	use := func() {
		for i := range held {
			held[i], _ = l.AcquireAt(now)
		}
		l.AcquireAt(now) // refused
		for _, p := range held {
			now += ms
			l.DoneAt(now, p, outcome.Success, time.Millisecond)
		}
	}
	use()
	if n := testing.AllocsPerRun(1000, use); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestEstimators(t *testing.T) {
	for _, tt := range []struct {
		e                    estimator
		limit, latency, base float64
		want                 float64
	}{
		{gradient{1.2}, 100, 50, 50, 121},
		{gradient{1.2}, 100, 60, 50, 101},
		{gradient{1.2}, 100, 120, 50, 51},
		{gradient{1.2}, 100, 10, 50, 121}, // faster than thought: no reason for more
		{vegas{}, 100, 50, 50, 112},       // 0 in the queue
		{vegas{}, 100, 102, 100, 112},
		{vegas{}, 100, 104, 100, 102},
		{vegas{}, 100, 110, 100, 100},
		{vegas{}, 100, 120, 100, 98},
		{vegas{}, 2, 120, 100, 8}, // steps are never below 1
		{aimd{}, 100, 120, 1, 101},
	} {
		if got := tt.e.next(tt.limit, tt.latency, tt.base); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%T %v %v %v: %v, want %v", tt.e, tt.limit, tt.latency, tt.base, got, tt.want)
		}
	}
}

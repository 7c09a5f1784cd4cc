package deadline

import (
	"math"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

const (
	ms   = int64(time.Millisecond)
	msec = time.Millisecond
)

func TestAttempt(t *testing.T) {
	for _, c := range []struct {
		name   string
		cfg    Config
		start  int64
		caller int64
		now    int64
		end    int64
		by     Bound
	}{
		{"nothing set", Config{}, 0, clock.Never, 0, clock.Never, Unbounded},
		{"only the caller", Config{}, 0, 300 * ms, 0, 300 * ms, CallerDeadline},
		{"the caller less the reserve", Config{Reserve: 50 * msec}, 0, 300 * ms, 0, 250 * ms, CallerDeadline},
		{"no reserve from no deadline", Config{Reserve: 50 * msec}, 0, clock.Never, 0, clock.Never, Unbounded},
		{"the reserve leaves nothing", Config{Reserve: time.Second}, 0, 300 * ms, 0, -700 * ms, CallerDeadline},
		{"the reserve leaves total alone", Config{Total: 200 * msec, Reserve: 50 * msec}, 0, 250 * ms, 0, 200 * ms, TotalTimeout},
		{"total", Config{Total: time.Second}, 100 * ms, clock.Never, 900 * ms, 1100 * ms, TotalTimeout},
		{"total longer than the caller waits", Config{Total: time.Second}, 0, 300 * ms, 0, 300 * ms, CallerDeadline},
		{"attempt", Config{Attempt: 100 * msec, Total: time.Second}, 0, clock.Never, 0, 100 * ms, AttemptTimeout},
		{"a later attempt", Config{Attempt: 100 * msec, Total: time.Second}, 0, clock.Never, 500 * ms, 600 * ms, AttemptTimeout},
		{"the last attempt is cut short", Config{Attempt: 100 * msec, Total: time.Second}, 0, clock.Never, 950 * ms, 1000 * ms, TotalTimeout},
		{"attempt alone", Config{Attempt: 100 * msec}, 0, clock.Never, 0, 100 * ms, AttemptTimeout},
		{"attempt and caller", Config{Attempt: 100 * msec}, 0, 80 * ms, 0, 80 * ms, CallerDeadline},
		{"a tie is the attempt's", Config{Attempt: time.Second, Total: time.Second}, 0, 1000 * ms, 0, 1000 * ms, AttemptTimeout},
		{"then the total's", Config{Total: time.Second}, 0, 1000 * ms, 0, 1000 * ms, TotalTimeout},
		{"saturated", Config{Attempt: math.MaxInt64}, 5, clock.Never, 5, clock.Never, Unbounded},
		{"saturated below", Config{Reserve: math.MaxInt64}, 0, -5, 0, math.MinInt64, CallerDeadline},
	} {
		t.Run(c.name, func(t *testing.T) {
			end, by := c.cfg.Start(c.start, c.caller).Attempt(c.now)
			if end != c.end || by != c.by {
				t.Errorf("got %d by %v, want %d by %v", end, by, c.end, c.by)
			}
		})
	}
}

func TestRemaining(t *testing.T) {
	b := Config{Total: time.Second}.Start(0, clock.Never)
	for now, want := range map[int64]time.Duration{
		0: time.Second, 300 * ms: 700 * msec, 1000 * ms: 0, 2000 * ms: 0,
		-500 * ms:     1500 * msec, // time went backwards
		math.MaxInt64: 0, math.MinInt64: math.MaxInt64,
	} {
		if got := b.Remaining(now); got != want {
			t.Errorf("at %d: got %v, want %v", now, got, want)
		}
	}
	if got := (Config{}).Start(0, clock.Never).Remaining(5); got != math.MaxInt64 {
		t.Errorf("without an end: got %v", got)
	}
}

func TestFits(t *testing.T) {
	total := Config{Total: time.Second}
	useful := Config{Total: time.Second, Useful: 100 * msec}
	for _, c := range []struct {
		name string
		cfg  Config
		now  int64
		wait time.Duration
		want bool
	}{
		{"all the time there is", total, 0, 0, true},
		{"a wait up to just before the end", total, 0, time.Second - 1, true},
		{"a wait up to the end leaves nothing", total, 0, time.Second, false},
		{"a wait beyond", total, 0, time.Hour, false},
		{"an endless wait", total, 0, math.MaxInt64, false},
		{"a negative wait is none", total, 0, -time.Hour, true},
		{"spent", total, 1000 * ms, 0, false},
		{"just enough to be useful", useful, 900 * ms, 0, true},
		{"just too little", useful, 900*ms + 1, 0, false},
		{"a wait leaves just enough", useful, 500 * ms, 400 * msec, true},
		{"a wait leaves too little", useful, 500 * ms, 400*msec + 1, false},
		{"no end", Config{Attempt: time.Second, Useful: time.Second}, 0, math.MaxInt64, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.cfg.Start(0, clock.Never).Fits(c.now, c.wait); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestEnd(t *testing.T) {
	end, by := Config{Attempt: time.Second, Total: 3 * time.Second}.Start(0, clock.Never).End()
	if end != 3000*ms || by != TotalTimeout {
		t.Errorf("got %d by %v", end, by)
	}
}

func TestLatest(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want int64
	}{
		{Config{}, clock.Never},
		{Config{Useful: time.Second}, clock.Never},
		{Config{Total: time.Second}, 1000*ms - 1},
		{Config{Total: time.Second, Useful: 100 * msec}, 900 * ms},
	} {
		if got := c.cfg.Start(0, clock.Never).Latest(); got != c.want {
			t.Errorf("%+v: got %d, want %d", c.cfg, got, c.want)
		}
	}
}

func TestBoundString(t *testing.T) {
	for b, want := range map[Bound]string{
		Unbounded: "unbounded", AttemptTimeout: "attempt timeout", TotalTimeout: "total timeout",
		CallerDeadline: "caller's deadline", 9: "bound(9)",
	} {
		if got := b.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestBudgetAllocatesNothing(t *testing.T) {
	c := Config{Attempt: time.Second, Total: time.Minute, Useful: msec}
	//lint:ignore SA4017 its allocations are the question
	if n := testing.AllocsPerRun(100, func() { spend(c) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func spend(c Config) (end int64) {
	b := c.Start(5, 1000*ms)
	if b.Fits(5, msec) && b.Remaining(5) > 0 {
		end, _ = b.Attempt(5)
	}
	return end
}

func BenchmarkBudget(b *testing.B) {
	c := Config{Attempt: time.Second, Total: time.Minute, Useful: msec}
	b.ReportAllocs()
	for b.Loop() {
		spend(c)
	}
}

package retry_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/random"
	"github.com/stanch-go/stanch/retry"
)

const ms = time.Millisecond

func TestBackoffWithoutJitter(t *testing.T) {
	short := retry.Config{Base: 10 * ms, Cap: 80 * ms, Jitter: retry.None}
	for _, c := range []struct {
		name   string
		config retry.Config
		n      int
		want   time.Duration
	}{
		{"first", short, 1, 10 * ms},
		{"second", short, 2, 20 * ms},
		{"third", short, 3, 40 * ms},
		{"at the cap", short, 4, 80 * ms},
		{"above the cap", short, 5, 80 * ms},
		{"far above it", short, math.MaxInt, 80 * ms},
		{"none yet", short, 0, 10 * ms},
		{"negative", short, math.MinInt, 10 * ms},
		{"defaults", retry.Config{Jitter: retry.None}, 3, 400 * ms},
		{"default cap", retry.Config{Jitter: retry.None}, 8, 10 * time.Second},
		{"cap below the default base", retry.Config{Cap: ms, Jitter: retry.None}, 1, ms},
		{"constant", retry.Config{Base: 300 * ms, Multiplier: 1, Jitter: retry.None}, 9, 300 * ms},
		{"by a half", retry.Config{Base: 100 * ms, Multiplier: 1.5, Jitter: retry.None}, 3, 225 * ms},
		{"longest", retry.Config{Base: math.MaxInt64, Cap: math.MaxInt64, Jitter: retry.None}, 1, math.MaxInt64},
		{"no overflow", retry.Config{Base: 1, Cap: math.MaxInt64, Multiplier: 10, Jitter: retry.None}, 99, math.MaxInt64},
	} {
		if got := c.config.Backoff(c.n, 0, nil); got != c.want {
			t.Errorf("%s: Backoff(%d) = %v, want %v", c.name, c.n, got, c.want)
		}
	}
}

// Each jitter fills its range evenly: the mean is the middle, the extremes are near.
func TestJitter(t *testing.T) {
	const draws = 20_000
	for _, c := range []struct {
		jitter    retry.Jitter
		n         int
		prev      time.Duration
		low, high time.Duration
	}{
		{retry.Full, 1, 0, 0, 100 * ms},
		{retry.Full, 3, 0, 0, 400 * ms},
		{"", 3, 0, 0, 400 * ms},
		{retry.Full, 50, 0, 0, 1000 * ms},
		{retry.Equal, 3, 0, 200 * ms, 400 * ms},
		{retry.Equal, 50, 0, 500 * ms, 1000 * ms},
		{retry.Decorrelated, 1, 0, 100 * ms, 300 * ms},
		{retry.Decorrelated, 9, 200 * ms, 100 * ms, 600 * ms},
		{retry.Decorrelated, 9, 900 * ms, 100 * ms, 1000 * ms},
		{retry.Decorrelated, 9, math.MaxInt64, 100 * ms, 1000 * ms},
	} {
		config := retry.Config{Base: 100 * ms, Cap: 1000 * ms, Jitter: c.jitter}
		rnd := random.New(1)
		var sum time.Duration
		waits := make([]time.Duration, draws)
		for i := range waits {
			waits[i] = config.Backoff(c.n, c.prev, rnd)
			sum += waits[i]
		}
		least, most, width := slices.Min(waits), slices.Max(waits), c.high-c.low
		if least < c.low || most >= c.high {
			t.Errorf("%s: waits from %v to %v, want [%v, %v)", c.jitter, least, most, c.low, c.high)
		}
		if least > c.low+width/100 || most < c.high-width/100 {
			t.Errorf("%s: waits from %v to %v do not fill [%v, %v)", c.jitter, least, most, c.low, c.high)
		}
		// Six standard deviations of the mean: width/sqrt(12 × draws) × 6.
		mean, middle := sum/draws, (c.low+c.high)/2
		if slack := width / 80; (mean - middle).Abs() > slack {
			t.Errorf("%s: mean %v, want %v", c.jitter, mean, middle)
		}
	}
}

func TestWaitFor(t *testing.T) {
	config := retry.Config{Base: 10 * ms, Cap: 80 * ms, Jitter: retry.None, RetryAfterCap: 5 * time.Second}
	for _, c := range []struct {
		name   string
		config retry.Config
		after  time.Duration
		has    bool
		want   time.Duration
		ok     bool
	}{
		{"no wish", config, time.Second, false, 20 * ms, true},
		{"wins over a shorter backoff", config, 3 * time.Second, true, 3 * time.Second, true},
		{"wins over a longer backoff", config, 5 * ms, true, 5 * ms, true},
		{"at the cap", config, 5 * time.Second, true, 5 * time.Second, true},
		{"beyond the cap", config, 5*time.Second + 1, true, 5*time.Second + 1, false},
		{"at once", config, 0, true, 20 * ms, true},
		{"negative", config, -time.Second, true, 20 * ms, true},
		{"default cap", retry.Config{}, 30 * time.Second, true, 30 * time.Second, true},
		{"beyond the default cap", retry.Config{}, 31 * time.Second, true, 31 * time.Second, false},
	} {
		wait, ok := c.config.WaitFor(2, 0, nil, c.after, c.has)
		if wait != c.want || ok != c.ok {
			t.Errorf("%s: %v, %v, want %v, %v", c.name, wait, ok, c.want, c.ok)
		}
	}
}

func TestWaits(t *testing.T) {
	for _, c := range []struct {
		config retry.Config
		want   []time.Duration
	}{
		{retry.Config{}, nil},
		{retry.Config{Attempts: 1}, nil},
		{retry.Config{Attempts: 5, Base: 10 * ms, Cap: 40 * ms}, []time.Duration{10 * ms, 20 * ms, 40 * ms, 40 * ms}},
		{
			retry.Config{Attempts: 4, Base: 10 * ms, Cap: 200 * ms, Jitter: retry.Decorrelated},
			[]time.Duration{30 * ms, 90 * ms, 200 * ms},
		},
	} {
		if got := slices.Collect(c.config.Waits()); !slices.Equal(got, c.want) {
			t.Errorf("%+v: waits %v, want %v", c.config, got, c.want)
		}
	}
	for range (retry.Config{Attempts: 9}).Waits() {
		break // must be heeded
	}
}

func TestBackoffDoesNotAllocate(t *testing.T) {
	config, rnd := retry.Config{Attempts: 3}, random.New(1)
	if n := testing.AllocsPerRun(100, func() { config.WaitFor(3, ms, rnd, 0, false) }); n != 0 {
		t.Errorf("a wait allocates %v times", n)
	}
}

func BenchmarkBackoff(b *testing.B) {
	config, rnd := retry.Config{Attempts: 3}, random.New(1)
	for b.Loop() {
		config.Backoff(2, 0, rnd)
	}
}

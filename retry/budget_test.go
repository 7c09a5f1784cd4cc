package retry_test

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stanch-go/stanch/retry"
)

// at returns the instant so many seconds after the start of the clock.
func at(seconds float64) int64 { return int64(seconds * float64(time.Second)) }

// take asks n times and returns how many retries were granted.
func take(b retry.Budget, now int64, n int) (granted int) {
	for range n {
		if b.TakeAt(now) {
			granted++
		}
	}
	return granted
}

// attempts reports n attempts that ended alike.
func attempts(b retry.Budget, now int64, n int, ok bool) {
	for range n {
		b.AttemptAt(now, ok)
	}
}

func wantBalance(t *testing.T, b retry.Budget, now int64, want float64) {
	t.Helper()
	if got := b.BalanceAt(now); math.Abs(got-want) > 1e-9 {
		t.Errorf("balance at %v is %v, want %v", time.Duration(now), got, want)
	}
}

func wantGranted(t *testing.T, b retry.Budget, now int64, want int) {
	t.Helper()
	if got := take(b, now, want+100); got != want {
		t.Errorf("%d retries granted at %v, want %d", got, time.Duration(now), want)
	}
}

func TestRatio(t *testing.T) {
	b := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindRatio})

	wantBalance(t, b, at(0), 3)
	wantGranted(t, b, at(0), 3) // 0.2 × floor 10, and the one beyond
	wantBalance(t, b, at(0), 0)
	b.AttemptAt(at(0.1), false)
	b.DoneAt(at(0.1), true, 0)
	wantGranted(t, b, at(0.1), 0)

	attempts(b, at(0.2), 100, true)
	wantGranted(t, b, at(0.9), 18) // 0.2 × 100 and one, less the three
	wantGranted(t, b, at(1), 11)   // half of the successes, no retries
	wantGranted(t, b, at(3), 3)    // 12.5 successes after two more windows: 2.5
	wantBalance(t, b, at(1000), 3) // the floor

	b.TakeAt(at(1000))
	b.ReturnAt(at(1000))
	wantBalance(t, b, at(1000), 3)
	b.ReturnAt(at(1000)) // more than was taken
	wantBalance(t, b, at(1000), 3)

	attempts(b, at(999), 100, true) // late, but no harm
	wantGranted(t, b, at(998), 21)
	wantGranted(t, b, at(1000), 0)
}

func TestToken(t *testing.T) {
	b := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindToken})

	if got := take(b, 0, 1000); got != 1000 {
		t.Errorf("%d of 1000 retries granted, though none has failed", got)
	}
	attempts(b, 0, 4, false)
	wantBalance(t, b, 0, 6)
	if !b.TakeAt(0) {
		t.Error("refused above the half")
	}
	b.AttemptAt(0, false)
	wantBalance(t, b, 0, 5)
	wantGranted(t, b, at(1e6), 0) // time changes nothing
	b.AttemptAt(0, true)
	wantBalance(t, b, 0, 5.1)
	if !b.TakeAt(0) {
		t.Error("refused above the half")
	}
	attempts(b, 0, 100, false)
	wantBalance(t, b, 0, 0)
	attempts(b, 0, 1000, true)
	wantBalance(t, b, 0, 10)
}

func TestEarning(t *testing.T) {
	b := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindEarning, Max: 4})

	wantBalance(t, b, at(0), 4)
	b.DoneAt(at(0), true, 0) // full already
	wantGranted(t, b, at(0), 4)
	wantBalance(t, b, at(0), 0)

	wantBalance(t, b, at(0.5), 0.5) // the trickle
	wantGranted(t, b, at(0.5), 0)
	wantGranted(t, b, at(1), 1)

	b.ReturnAt(at(1))
	wantBalance(t, b, at(1), 1)
	b.DoneAt(at(1), true, 0)
	wantBalance(t, b, at(1), 1.1)
	b.DoneAt(at(1), true, 2)
	wantBalance(t, b, at(1), 3.1)
	b.DoneAt(at(1), false, 0)
	b.DoneAt(at(1), false, 3)
	b.AttemptAt(at(1), true)
	b.AttemptAt(at(1), false)
	wantBalance(t, b, at(1), 3.1)
	b.DoneAt(at(1), true, 99) // no more than all
	wantBalance(t, b, at(1), 4)

	wantGranted(t, b, at(1000), 4) // a long full balance has not grown
	wantGranted(t, b, at(999), 0)  // time that goes back grants nothing
	wantBalance(t, b, at(999), 0)
	wantGranted(t, b, at(1001), 1)
}

func TestBudgetsSurviveAnyTime(t *testing.T) {
	for _, kind := range []retry.BudgetKind{retry.KindRatio, retry.KindToken, retry.KindEarning} {
		for _, cfg := range []retry.BudgetConfig{{}, {Max: 1_000_000, Trickle: 0.001, Earn: 1}} {
			if cfg.Kind = kind; cfg.Validate() != nil {
				continue
			}
			b := retry.NewBudget(cfg)
			for _, now := range []int64{math.MinInt64, -1, 0, math.MaxInt64, 1, math.MinInt64, math.MaxInt64 - 1} {
				first := b.BalanceAt(now)
				take(b, now, 3)
				b.DoneAt(now, true, math.MaxInt)
				b.DoneAt(now, true, math.MinInt)
				b.AttemptAt(now, true)
				b.ReturnAt(now)
				if last := b.BalanceAt(now); first < 0 || last < 0 || last > 1_000_000 {
					t.Errorf("%s: balance at %d went from %v to %v", kind, now, first, last)
				}
			}
		}
	}
}

// With the clock standing still, many callers get together what one would.
func TestBudgetsConcurrently(t *testing.T) {
	for name, c := range map[string]struct {
		budget retry.BudgetConfig
		want   int
	}{
		"ratio":   {retry.BudgetConfig{Kind: retry.KindRatio}, 3},
		"earning": {retry.BudgetConfig{Kind: retry.KindEarning}, 40},
	} {
		t.Run(name, func(t *testing.T) {
			b := retry.NewBudget(c.budget)
			for range 50 {
				var granted atomic.Int64
				var wg sync.WaitGroup
				for range 8 {
					wg.Go(func() { granted.Add(int64(take(b, 0, c.want))) })
				}
				wg.Wait()
				if granted.Load() != int64(c.want) {
					t.Fatalf("%d retries granted, want %d", granted.Load(), c.want)
				}
				for range c.want {
					wg.Go(func() { b.ReturnAt(0) })
				}
				wg.Wait()
				wantBalance(t, b, 0, float64(c.want))
			}
		})
	}
}

func TestTokenConcurrently(t *testing.T) {
	b := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindToken, Max: 1000, Ratio: 1})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { attempts(b, 0, 100, false) })
	}
	wg.Wait()
	wantBalance(t, b, 0, 600)
	for range 4 {
		wg.Go(func() { attempts(b, 0, 50, true) })
	}
	wg.Wait()
	wantBalance(t, b, 0, 800)
}

// While time passes and callers see it a little out of order, no balance leaves
// its range.
func TestEarningStaysInRange(t *testing.T) {
	const most = 5
	b := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindEarning, Max: most, Trickle: 1000})
	var clock atomic.Int64
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 5000 {
				now := clock.Add(100_000) - int64(i%7)*150_000
				switch {
				case b.TakeAt(now):
					b.DoneAt(now, i%2 == 0, 1)
				default:
					b.DoneAt(now, true, 0)
				}
				if got := b.BalanceAt(now); got < 0 || got > most {
					t.Errorf("balance %v", got)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestBudgetsDoNotAllocate(t *testing.T) {
	for _, kind := range []retry.BudgetKind{retry.KindRatio, retry.KindToken, retry.KindEarning} {
		b := retry.NewBudget(retry.BudgetConfig{Kind: kind})
		var now int64
		if n := testing.AllocsPerRun(1000, func() {
			now += int64(100 * ms)
			b.TakeAt(now)
			b.ReturnAt(now)
			b.AttemptAt(now, true)
			b.DoneAt(now, true, 0)
			b.BalanceAt(now)
		}); n != 0 {
			t.Errorf("%s allocates %v times", kind, n)
		}
	}
}

// What a call pays that succeeds at once, from all processors.
func BenchmarkBudgetSuccess(b *testing.B) {
	for _, kind := range []retry.BudgetKind{retry.KindRatio, retry.KindToken, retry.KindEarning} {
		b.Run(string(kind), func(b *testing.B) {
			budget := retry.NewBudget(retry.BudgetConfig{Kind: kind})
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					budget.AttemptAt(1, true)
					budget.DoneAt(1, true, 0)
				}
			})
		})
	}
}

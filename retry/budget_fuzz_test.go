package retry_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stanch-go/stanch/retry"
)

// script feeds a budget and its oracle the same calls, four bytes each, and
// demands the same grants. Time never goes back in it.
func script(t *testing.T, calls []byte, b, oracle retry.Budget) {
	var now int64
	for i := 0; i+4 <= len(calls); i += 4 {
		op, ok, retries := calls[i]%5, calls[i+1]%2 == 0, int(calls[i+1]/2)
		// Waits of 0 to 2.5 ms, or longer ones of up to 17 s.
		wait := int64(calls[i+2]) * 10_000
		if calls[i+3]%4 == 0 {
			wait = int64(calls[i+2]) * int64(calls[i+3]) * 270_000
		}
		now += wait
		switch op {
		case 0:
			if got, want := b.TakeAt(now), oracle.TakeAt(now); got != want {
				t.Fatalf("call %d at %v: granted %v, want %v", i/4, time.Duration(now), got, want)
			}
		case 1:
			b.ReturnAt(now)
			oracle.ReturnAt(now)
		case 2:
			b.AttemptAt(now, ok)
			oracle.AttemptAt(now, ok)
		default:
			b.DoneAt(now, ok, retries)
			oracle.DoneAt(now, ok, retries)
		}
		if got, want := b.BalanceAt(now), oracle.BalanceAt(now); math.Abs(got-want) > 1e-6*max(want, 1) {
			t.Fatalf("call %d at %v: balance %v, want %v", i/4, time.Duration(now), got, want)
		}
	}
}

func seedScripts(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0, 0, 0, 1, 2, 0, 9, 1, 3, 4, 0, 1, 0, 0, 255, 4})
	f.Add([]byte{2, 0, 0, 1, 2, 0, 100, 4, 0, 0, 200, 8, 1, 0, 0, 0, 0, 0, 255, 252})
}

// naiveRatio is the algorithm window by window, in floating point.
type naiveRatio struct {
	window             int64
	successes, retries float64
}

func (o *naiveRatio) turn(now int64) {
	for ; (o.window+1)*int64(time.Second) <= now; o.window++ {
		o.successes /= 2
		o.retries = 0
	}
}

func (o *naiveRatio) TakeAt(now int64) bool {
	if o.turn(now); o.retries > 0.25*max(o.successes, 4) {
		return false
	}
	o.retries++
	return true
}

func (o *naiveRatio) ReturnAt(now int64) {
	o.turn(now)
	o.retries = max(0, o.retries-1)
}

func (o *naiveRatio) AttemptAt(now int64, ok bool) {
	if o.turn(now); ok {
		o.successes++
	}
}

func (o *naiveRatio) DoneAt(int64, bool, int) {}

func (o *naiveRatio) BalanceAt(now int64) float64 {
	o.turn(now)
	return max(0, math.Floor(0.25*max(o.successes, 4))+1-o.retries)
}

func FuzzRatio(f *testing.F) {
	seedScripts(f)
	f.Fuzz(func(t *testing.T, calls []byte) {
		// A power of two, and few calls: the oracle's floats are then exact as long
		// as the budget's fractions are.
		calls = calls[:min(len(calls), 400)]
		script(t, calls, retry.NewBudget(retry.BudgetConfig{Kind: retry.KindRatio, Ratio: 0.25, Floor: 4}), new(naiveRatio))
	})
}

// naiveToken keeps exact fractions.
type naiveToken struct{ tokens, max, ratio *big.Rat }

func (o *naiveToken) TakeAt(int64) bool {
	return new(big.Rat).Add(o.tokens, o.tokens).Cmp(o.max) > 0
}

func (o *naiveToken) AttemptAt(_ int64, ok bool) {
	if ok {
		if o.tokens.Add(o.tokens, o.ratio); o.tokens.Cmp(o.max) > 0 {
			o.tokens.Set(o.max)
		}
		return
	}
	if o.tokens.Sub(o.tokens, big.NewRat(1, 1)); o.tokens.Sign() < 0 {
		o.tokens.SetInt64(0)
	}
}

func (o *naiveToken) ReturnAt(int64)          {}
func (o *naiveToken) DoneAt(int64, bool, int) {}
func (o *naiveToken) BalanceAt(int64) float64 { f, _ := o.tokens.Float64(); return f }

func FuzzToken(f *testing.F) {
	seedScripts(f)
	f.Fuzz(func(t *testing.T, calls []byte) {
		script(t, calls, retry.NewBudget(retry.BudgetConfig{Kind: retry.KindToken, Ratio: 0.6, Max: 7}),
			&naiveToken{big.NewRat(7, 1), big.NewRat(7, 1), big.NewRat(3, 5)})
	})
}

// naiveEarning keeps a balance and the time of its last change, in billionths of
// a token: at 2 tokens a second, two a nanosecond.
type naiveEarning struct{ balance, last int64 }

const nano, naiveMax = 1_000_000_000, 5 * 1_000_000_000

func (o *naiveEarning) add(now, n int64) {
	o.balance = min(min(o.balance+2*(now-o.last), naiveMax)+n, naiveMax)
	o.last = now
}

func (o *naiveEarning) TakeAt(now int64) bool {
	if o.add(now, 0); o.balance < nano {
		return false
	}
	o.balance -= nano
	return true
}

func (o *naiveEarning) DoneAt(now int64, ok bool, retries int) {
	switch {
	case ok && retries == 0:
		o.add(now, nano/4)
	case ok:
		o.add(now, int64(retries)*nano)
	}
}

func (o *naiveEarning) ReturnAt(now int64)          { o.add(now, nano) }
func (o *naiveEarning) AttemptAt(int64, bool)       {}
func (o *naiveEarning) BalanceAt(now int64) float64 { o.add(now, 0); return float64(o.balance) / nano }

func FuzzEarning(f *testing.F) {
	seedScripts(f)
	f.Fuzz(func(t *testing.T, calls []byte) {
		script(t, calls, retry.NewBudget(retry.BudgetConfig{Kind: retry.KindEarning, Max: 5, Earn: 0.25, Trickle: 2}),
			&naiveEarning{balance: naiveMax})
	})
}

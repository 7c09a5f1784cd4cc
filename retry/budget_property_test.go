package retry_test

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/retry"
	"pgregory.net/rapid"
)

func drawBudget(t *rapid.T) retry.BudgetConfig {
	c := retry.BudgetConfig{Kind: rapid.SampledFrom([]retry.BudgetKind{
		retry.KindRatio, retry.KindToken, retry.KindEarning,
	}).Draw(t, "kind")}
	switch c.Kind {
	case retry.KindRatio:
		c.Ratio = rapid.Float64Range(0.001, 1).Draw(t, "ratio")
		c.Floor = rapid.IntRange(1, 100).Draw(t, "floor")
	case retry.KindToken:
		c.Ratio = rapid.Float64Range(0.001, 3).Draw(t, "ratio")
		c.Max = rapid.IntRange(1, 50).Draw(t, "max")
	case retry.KindEarning:
		c.Earn = rapid.Float64Range(0.001, 1).Draw(t, "earn")
		c.Max = rapid.IntRange(1, 50).Draw(t, "max")
		c.Trickle = rapid.Float64Range(0.001, 1000).Draw(t, "trickle")
	}
	return c
}

// A refusal changes nothing, a returned retry leaves no trace, and a grant is
// given exactly when the balance says so.
func TestTakeAndReturn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawBudget(t)
		b := retry.NewBudget(c)
		var now int64
		t.Repeat(map[string]func(*rapid.T){
			"wait": func(t *rapid.T) {
				now += rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "wait")
			},
			"attempt": func(t *rapid.T) { b.AttemptAt(now, rapid.Bool().Draw(t, "ok")) },
			"done": func(t *rapid.T) {
				b.DoneAt(now, rapid.Bool().Draw(t, "ok"), rapid.IntRange(0, 3).Draw(t, "retries"))
			},
			"take": func(t *rapid.T) {
				before := b.BalanceAt(now)
				granted := b.TakeAt(now)
				after := b.BalanceAt(now)
				switch {
				case c.Kind == retry.KindToken:
					if granted != (2*before > float64(c.Max)) || after != before {
						t.Fatalf("granted %v at %v of %d tokens, then %v", granted, before, c.Max, after)
					}
				case granted && (before < 1-1e-6 || before-after < 1-1e-6 || before-after > 1+1e-6):
					t.Fatalf("granted, from a balance of %v to %v", before, after)
				case !granted && (before >= 1+1e-6 || after != before):
					t.Fatalf("refused, from a balance of %v to %v", before, after)
				}
				if granted && rapid.Bool().Draw(t, "return") {
					b.ReturnAt(now)
					if got := b.BalanceAt(now); got != before {
						t.Fatalf("balance %v after a return, %v before the grant", got, before)
					}
				}
			},
			"": func(t *rapid.T) {
				got := b.BalanceAt(now)
				if got < 0 || c.Max > 0 && got > float64(c.Max) {
					t.Fatalf("balance %v, want between 0 and %d", got, c.Max)
				}
			},
		})
	})
}

// Over any time, an earning budget grants no more than it held, than trickled in
// and than it was given.
func TestEarningConserves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := retry.BudgetConfig{Kind: retry.KindEarning, Max: 10, Earn: 0.25, Trickle: 2}
		b := retry.NewBudget(c)
		var now, latest int64
		granted, given := 0, 0.0
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			now += rapid.Int64Range(int64(-time.Second), int64(time.Second)).Draw(t, "step") // time may go back
			now = max(now, 0)
			latest = max(latest, now)
			switch rapid.IntRange(0, 2).Draw(t, "op") {
			case 0:
				granted += take(b, now, 1)
			case 1:
				b.DoneAt(now, true, 0)
				given += c.Earn
			case 2:
				b.DoneAt(now, true, 1)
				given++
			}
			if most := float64(c.Max) + given + c.Trickle*time.Duration(latest).Seconds(); float64(granted) > most+1e-9 {
				t.Fatalf("%d retries granted, want at most %v", granted, most)
			}
		}
	})
}

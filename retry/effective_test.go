package retry

import (
	"testing"
	"time"
)

func TestEffective(t *testing.T) {
	for name, step := range map[string]struct{ given, want Config }{
		"none stays none": {},
		"attempts": {
			Config{Attempts: 3},
			Config{Attempts: 3, Base: 100 * time.Millisecond, Cap: 10 * time.Second, Multiplier: 2, Jitter: Full, RetryAfterCap: 30 * time.Second},
		},
		"decorrelated jitter has no multiplier": {
			Config{Attempts: 3, Jitter: Decorrelated},
			Config{Attempts: 3, Base: 100 * time.Millisecond, Cap: 10 * time.Second, Jitter: Decorrelated, RetryAfterCap: 30 * time.Second},
		},
	} {
		got := step.given.Effective()
		if got != step.want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, step.want)
		}
		if err := got.Validate(); err != nil || got.Effective() != got {
			t.Errorf("%s: %+v: %v", name, got, err)
		}
	}
}

// Each kind gets the fields that belong to it and no other: Validate would
// refuse them.
func TestEffectiveBudget(t *testing.T) {
	for _, step := range []struct{ given, want BudgetConfig }{
		{},
		{BudgetConfig{Kind: KindNone}, BudgetConfig{Kind: KindNone}},
		{BudgetConfig{Kind: KindRatio, Floor: 3}, BudgetConfig{Kind: KindRatio, Ratio: 0.2, Window: time.Second, Floor: 3}},
		{BudgetConfig{Kind: KindToken}, BudgetConfig{Kind: KindToken, Ratio: 0.1, Max: 10}},
		{BudgetConfig{Kind: KindEarning, Earn: 1}, BudgetConfig{Kind: KindEarning, Max: 40, Earn: 1, Trickle: 1}},
	} {
		got := step.given.Effective()
		if got != step.want {
			t.Errorf("%+v\n got %+v\nwant %+v", step.given, got, step.want)
		}
		if err := got.Validate(); err != nil {
			t.Errorf("%+v: %v", got, err)
		}
	}
}

package retry_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/retry"
)

// wantFaults demands exactly these faults, in this order; none is no error.
func wantFaults(t *testing.T, err error, want ...string) {
	t.Helper()
	got := ""
	if err != nil {
		got = err.Error()
	}
	if got != strings.Join(want, "\n") {
		t.Errorf("faults:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}

func TestConfigValidate(t *testing.T) {
	for name, c := range map[string]struct {
		config retry.Config
		want   []string
	}{
		"zero": {},
		"full": {config: retry.Config{
			Attempts: 100, Base: time.Second, Cap: time.Second, Multiplier: 1,
			Jitter: retry.Equal, RetryAfterCap: time.Hour,
		}},
		"all faults at once": {
			retry.Config{Attempts: -1, Base: -1, Cap: -2, Multiplier: 0.5, Jitter: "some", RetryAfterCap: -3},
			[]string{
				"attempts: must be between 0 and 100, is -1",
				"base: must not be negative, is -1ns",
				"cap: must not be negative, is -2ns",
				`jitter: must be full, equal, decorrelated or none, is "some"`,
				"multiplier: must be between 1 and 10, is 0.5",
				"retry_after_cap: must not be negative, is -3ns",
			},
		},
		"too many":           {retry.Config{Attempts: 101}, []string{"attempts: must be between 0 and 100, is 101"}},
		"base above cap":     {retry.Config{Base: 2, Cap: 1}, []string{"base: must not exceed cap 1ns, is 2ns"}},
		"base above default": {retry.Config{Base: time.Minute}, []string{"base: must not exceed cap 10s, is 1m0s"}},
		"cap below default":  {retry.Config{Cap: time.Millisecond}, []string{"base: must not exceed cap 1ms, is 100ms"}},
		"not a number": {
			retry.Config{Multiplier: math.NaN()},
			[]string{"multiplier: must be between 1 and 10, is NaN"},
		},
		"multiplier unused": {
			retry.Config{Multiplier: 2, Jitter: retry.Decorrelated},
			[]string{"multiplier: has no effect with decorrelated jitter"},
		},
	} {
		t.Run(name, func(t *testing.T) { wantFaults(t, c.config.Validate(), c.want...) })
	}
}

func TestBudgetConfigValidate(t *testing.T) {
	for name, c := range map[string]struct {
		config retry.BudgetConfig
		want   []string
	}{
		"zero":    {},
		"none":    {config: retry.BudgetConfig{Kind: retry.KindNone}},
		"ratio":   {config: retry.BudgetConfig{Kind: retry.KindRatio, Ratio: 1, Window: time.Hour, Floor: 1}},
		"token":   {config: retry.BudgetConfig{Kind: retry.KindToken, Ratio: 0.001, Max: 1000}},
		"earning": {config: retry.BudgetConfig{Kind: retry.KindEarning, Max: 1, Earn: 1, Trickle: 1000}},
		"unknown kind": {
			retry.BudgetConfig{Kind: "tokens", Max: -1},
			[]string{`kind: must be none, ratio, token or earning, is "tokens"`},
		},
		"keys without a kind": {
			retry.BudgetConfig{Ratio: 0.1, Window: 1, Floor: 1, Max: 1, Earn: 0.1, Trickle: 1},
			[]string{
				"ratio: does not belong to a budget of kind none",
				"window: does not belong to a budget of kind none",
				"floor: does not belong to a budget of kind none",
				"max: does not belong to a budget of kind none",
				"earn: does not belong to a budget of kind none",
				"trickle: does not belong to a budget of kind none",
			},
		},
		"keys of another kind": {
			retry.BudgetConfig{Kind: retry.KindToken, Floor: 10, Trickle: 1},
			[]string{
				"floor: does not belong to a budget of kind token",
				"trickle: does not belong to a budget of kind token",
			},
		},
		"out of range, ratio": {
			retry.BudgetConfig{Kind: retry.KindRatio, Ratio: 1.5, Window: time.Microsecond, Floor: -1},
			[]string{
				"ratio: must be between 0.001 and 1, is 1.5",
				"window: must be between 1ms and 1h0m0s, is 1µs",
				"floor: must be between 1 and 1000000, is -1",
			},
		},
		"out of range, token": {
			retry.BudgetConfig{Kind: retry.KindToken, Ratio: 0.0001, Max: 1001},
			[]string{
				"ratio: must be between 0.001 and 1000, is 0.0001",
				"max: must be between 1 and 1000, is 1001",
			},
		},
		"out of range, earning": {
			retry.BudgetConfig{Kind: retry.KindEarning, Max: -1, Earn: 2, Trickle: math.NaN()},
			[]string{
				"max: must be between 1 and 1000000, is -1",
				"earn: must be between 0.001 and 1, is 2",
				"trickle: must be between 0.001 and 1000, is NaN",
			},
		},
	} {
		t.Run(name, func(t *testing.T) { wantFaults(t, c.config.Validate(), c.want...) })
	}
}

func TestNewBudget(t *testing.T) {
	for _, kind := range []retry.BudgetKind{"", retry.KindNone} {
		if b := retry.NewBudget(retry.BudgetConfig{Kind: kind}); b != nil {
			t.Errorf("a budget of kind %q is %T, want nil", kind, b)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an invalid budget was made")
		}
	}()
	retry.NewBudget(retry.BudgetConfig{Kind: "tokens"})
}

package retry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// BudgetKind names an algorithm.
type BudgetKind string

const (
	// KindNone bounds nothing.
	KindNone BudgetKind = "none"
	// KindRatio grants a share of the recent successes, as in the chapter
	// "Handling Overload" of Google's SRE book.
	KindRatio BudgetKind = "ratio"
	// KindToken stops retries while failures outweigh successes, as gRPC does: gRFC A6.
	KindToken BudgetKind = "token"
	// KindEarning grants retries from a balance that retries which help pay back.
	KindEarning BudgetKind = "earning"
)

// BudgetConfig describes a [Budget]. The zero BudgetConfig is none. A field that
// does not belong to the kind must be left out.
type BudgetConfig struct {
	// Kind is the algorithm. Default none.
	Kind BudgetKind `yaml:"kind"`
	// Ratio is, of the ratio kind, the retries granted for each recent success,
	// default 0.2, range 0.001 to 1; of the token kind, the tokens that a success
	// earns, default 0.1, range 0.001 to 1000, in steps of 0.001.
	Ratio float64 `yaml:"ratio"`
	// Window is, of the ratio kind, how long successes and retries are counted.
	// Default 1s. Range 1ms to 1h.
	Window time.Duration `yaml:"window"`
	// Floor is, of the ratio kind, the number of successes that is assumed when
	// there are fewer, so that a dead dependency is still tried. Default 10.
	// Range 1 to 1000000.
	Floor int `yaml:"floor"`
	// Max is the most tokens that can be held, which is also how many there are at
	// first. Of the token kind: default 10, range 1 to 1000. Of the earning kind:
	// default 40, about twice the calls in flight; range 1 to 1000000.
	Max int `yaml:"max"`
	// Earn is, of the earning kind, the tokens that a success without retries
	// earns. Default 0.1. Range 0.001 to 1.
	Earn float64 `yaml:"earn"`
	// Trickle is, of the earning kind, the tokens that come back each second by
	// themselves, so that a dead dependency is still tried. Default 1. Range
	// 0.001 to 1000.
	Trickle float64 `yaml:"trickle"`
}

// Validate returns every fault of the configuration, joined, or nil.
func (c BudgetConfig) Validate() error {
	switch c.Kind {
	case "", KindNone, KindRatio, KindToken, KindEarning:
	default:
		return fmt.Errorf("kind: must be %s, %s, %s or %s, is %q",
			KindNone, KindRatio, KindToken, KindEarning, c.Kind)
	}
	highRatio, highMax := 1.0, 1_000_000
	if c.Kind == KindToken {
		highRatio, highMax = 1000, 1000
	}
	return errors.Join(
		check(c.Kind, "ratio", c.Ratio, 0.001, highRatio, KindRatio, KindToken),
		check(c.Kind, "window", c.Window, time.Millisecond, time.Hour, KindRatio),
		check(c.Kind, "floor", c.Floor, 1, 1_000_000, KindRatio),
		check(c.Kind, "max", c.Max, 1, highMax, KindToken, KindEarning),
		check(c.Kind, "earn", c.Earn, 0.001, 1, KindEarning),
		check(c.Kind, "trickle", c.Trickle, 0.001, 1000, KindEarning),
	)
}

// check returns the fault of one field, which belongs to the kinds given.
func check[T cmp.Ordered](kind BudgetKind, path string, value, low, high T, kinds ...BudgetKind) error {
	var unset T
	switch {
	case value == unset:
		return nil
	case !slices.Contains(kinds, kind):
		return fmt.Errorf("%s: does not belong to a budget of kind %s", path, cmp.Or(kind, KindNone))
	case !(low <= value && value <= high): // a NaN is in no range
		return fmt.Errorf("%s: must be between %v and %v, is %v", path, low, high, value)
	}
	return nil
}

// defaults fills in what was left out.
func (c BudgetConfig) defaults() BudgetConfig {
	ratio, most := 0.2, 40
	if c.Kind == KindToken {
		ratio, most = 0.1, 10
	}
	c.Ratio = cmp.Or(c.Ratio, ratio)
	c.Window = cmp.Or(c.Window, time.Second)
	c.Floor = cmp.Or(c.Floor, 10)
	c.Max = cmp.Or(c.Max, most)
	c.Earn = cmp.Or(c.Earn, 0.1)
	c.Trickle = cmp.Or(c.Trickle, 1)
	return c
}

package retry

import "fmt"

// A Budget bounds the retries of all callers of one dependency together. One
// Budget serves one dependency, not one call and not one route.
//
// Its methods are given the time, in monotonic nanoseconds, and are safe for
// concurrent use; a time before one already seen does no harm. For one call:
// TakeAt before each retry, ReturnAt for one that never left, AttemptAt after
// each attempt, DoneAt at the end.
type Budget interface {
	// TakeAt is asked when a retry is decided. It charges for the retry, or
	// refuses it and changes nothing.
	TakeAt(now int64) bool
	// ReturnAt undoes a TakeAt whose retry never left, because a breaker refused
	// it or the caller went away.
	ReturnAt(now int64)
	// AttemptAt is told of every attempt that says something about the
	// dependency, and whether it was a success.
	AttemptAt(now int64, ok bool)
	// DoneAt is told of the end of a call: whether the dependency did its work in
	// the end, and after how many retries that left.
	DoneAt(now int64, ok bool, retries int)
	// BalanceAt returns what is left, for metrics: of a ratio and an earning
	// budget the retries it would grant now, of a token budget its tokens.
	BalanceAt(now int64) float64
}

// NewBudget returns the budget that cfg describes, nil for none. It panics if cfg
// is not valid: a budget that is silently another one does not protect.
func NewBudget(cfg BudgetConfig) Budget {
	if err := cfg.Validate(); err != nil {
		panic(fmt.Errorf("retry: invalid budget: %w", err))
	}
	switch cfg = cfg.defaults(); cfg.Kind {
	case KindRatio:
		return newRatio(cfg.Ratio, cfg.Window, cfg.Floor)
	case KindToken:
		return newToken(cfg.Ratio, cfg.Max)
	case KindEarning:
		return newEarning(cfg.Max, cfg.Earn, cfg.Trickle)
	}
	return nil
}

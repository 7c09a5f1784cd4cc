package retry

import (
	"math"
	"sync/atomic"
)

// token is the throttle of gRFC A6: a failed attempt costs a token, a success
// earns a fraction of one, and retries are granted while more than half of the
// tokens are there. A retry costs nothing by itself, only by failing.
//
// Tokens are counted in thousandths: rounded to whole ones, a ratio of 0.6 would
// be 0 or 1.
type token struct {
	max    int64
	ratio  int64
	tokens atomic.Int64
}

const whole = 1000

func newToken(ratio float64, most int) *token {
	b := &token{max: int64(most) * whole, ratio: int64(math.Round(ratio * whole))}
	b.tokens.Store(b.max)
	return b
}

func (b *token) TakeAt(int64) bool { return 2*b.tokens.Load() > b.max }

func (b *token) ReturnAt(int64) {}

// AttemptAt writes nothing for a success when no token is missing.
func (b *token) AttemptAt(_ int64, ok bool) {
	change := int64(-whole)
	if ok {
		change = b.ratio
	}
	for {
		had := b.tokens.Load()
		has := min(max(had+change, 0), b.max)
		if has == had || b.tokens.CompareAndSwap(had, has) {
			return
		}
	}
}

func (b *token) DoneAt(int64, bool, int) {}

func (b *token) BalanceAt(int64) float64 { return float64(b.tokens.Load()) / whole }

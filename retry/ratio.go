package retry

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// ratio grants retries in proportion to recent successes. Time is cut into
// windows; at the turn of one the successes are halved, so that the past fades
// instead of ending, and the retries start from 0. A retry is granted iff
//
//	retries <= share × max(successes, floor)
//
// which is one more than the share: it lets a share below one retry still try.
type ratio struct {
	share  float64
	floor  int64 // in units of 1/fraction
	window int64 // ns

	current   atomic.Int64 // the window, counted from instant 0
	successes atomic.Int64 // in units of 1/fraction, so that halves are exact for a while

	mu      sync.Mutex // for retries, and for the turn of a window
	retries int64
}

const fraction = 1 << 10

func newRatio(share float64, window time.Duration, floor int) *ratio {
	return &ratio{share: share, floor: int64(floor) * fraction, window: int64(window)}
}

func (b *ratio) TakeAt(now int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn(now)
	if float64(b.retries) > b.limit() {
		return false
	}
	b.retries++
	return true
}

// ReturnAt credits the current window, whichever the retry was charged to.
func (b *ratio) ReturnAt(now int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn(now)
	b.retries = max(b.retries-1, 0)
}

// AttemptAt takes no lock while the window lasts. A success that meets the turn
// may count for the window before, which is as true.
func (b *ratio) AttemptAt(now int64, ok bool) {
	if !ok {
		return
	}
	if now/b.window > b.current.Load() {
		b.mu.Lock()
		b.turn(now)
		b.mu.Unlock()
	}
	b.successes.Add(fraction)
}

func (b *ratio) DoneAt(int64, bool, int) {}

func (b *ratio) BalanceAt(now int64) float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn(now)
	return max(math.Floor(b.limit())+1-float64(b.retries), 0)
}

// limit is the right side of the comparison. The lock is held.
func (b *ratio) limit() float64 {
	return b.share * float64(max(b.successes.Load(), b.floor)) / fraction
}

// turn moves to the window of now, if it is a later one. The lock is held.
func (b *ratio) turn(now int64) {
	passed := now/b.window - b.current.Load()
	if passed <= 0 {
		return
	}
	for {
		s := b.successes.Load()
		if b.successes.CompareAndSwap(s, s>>min(passed, 63)) {
			break
		}
	}
	b.retries = 0
	b.current.Store(now / b.window)
}

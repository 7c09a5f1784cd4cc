package retry

import (
	"sync"
	"testing"
)

// Callers who put back all that they took leave what was there, to the last token.
func TestNothingIsLost(t *testing.T) {
	const most, callers, calls = 1000, 4, 100_000
	earning := newEarning(most, 0, 1)
	token := newToken(1, most)
	ratio := newRatio(1, 1, most)
	for range most / 2 { // from the middle, so that neither end hides anything
		earning.TakeAt(0)
		token.AttemptAt(0, false)
		ratio.TakeAt(0)
	}
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range calls {
				if !earning.TakeAt(0) || !ratio.TakeAt(0) {
					t.Error("refused with half of the tokens left")
					return
				}
				earning.DoneAt(0, true, 1)
				ratio.ReturnAt(0)
				token.AttemptAt(0, false)
				token.AttemptAt(0, true)
			}
		})
	}
	wg.Wait()
	for name, b := range map[string]Budget{"earning": earning, "token": token} {
		if got := b.BalanceAt(0); got != most/2 {
			t.Errorf("%s: %v left of %v", name, got, most/2)
		}
	}
	if got := ratio.BalanceAt(0); got != most/2+1 { // it grants one more than the share
		t.Errorf("ratio: %v left of %v", got, most/2+1)
	}
}

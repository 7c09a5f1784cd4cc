package retry_test

import (
	"fmt"
	"time"

	"github.com/stanch-go/stanch/retry"
)

func ExampleConfig_Backoff() {
	c := retry.Config{Base: 10 * time.Millisecond, Cap: 80 * time.Millisecond, Jitter: retry.None}
	fmt.Println(c.Backoff(1, 0, nil), c.Backoff(2, 0, nil), c.Backoff(21, 0, nil))
	// Output: 10ms 20ms 80ms
}

// The longest time a call may spend waiting between its attempts.
func ExampleConfig_Waits() {
	c := retry.Config{Attempts: 4}
	var sum time.Duration
	for wait := range c.Waits() {
		sum += wait
	}
	fmt.Println(sum)
	// Output: 700ms
}

// Retries that help are paid back; those that do not use the balance up.
func ExampleBudget() {
	b := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindEarning, Max: 2})
	const now = 0 // time stands still here, so nothing trickles back

	fmt.Println(b.TakeAt(now), b.TakeAt(now), b.TakeAt(now))
	b.DoneAt(now, true, 2) // two retries, then a success
	fmt.Println(b.BalanceAt(now))
	// Output:
	// true true false
	// 2
}

package bulkhead_test

import (
	"context"
	"fmt"
	"time"

	"github.com/stanch-go/stanch/bulkhead"
)

func Example() {
	b, err := bulkhead.New(bulkhead.Config{Limit: 1})
	if err != nil {
		panic(err)
	}
	call := func(work func()) error {
		if _, err := b.Wait(context.Background()); err != nil {
			return err
		}
		defer b.Release()
		work()
		return nil
	}
	call(func() {
		err := call(func() {})
		fmt.Println("second request rejected:", err == bulkhead.ErrFull)
	})
	fmt.Println("slot released:", call(func() {}) == nil)
	// Output:
	// second request rejected: true
	// slot released: true
}

// A slow dependency may have three slots of twenty; the other has ten of its
// own, and what is left.
func ExamplePool() {
	pool, err := bulkhead.NewPool(20)
	if err != nil {
		panic(err)
	}
	slow, err := pool.Share("reports", bulkhead.Share{Guaranteed: 2, Max: 3})
	if err != nil {
		panic(err)
	}
	quick, err := pool.Share("profiles", bulkhead.Share{Guaranteed: 10, Queue: 25, MaxWait: time.Second})
	if err != nil {
		panic(err)
	}
	for slow.TryAcquire() {
	}
	for quick.TryAcquire() {
	}
	fmt.Println("reports:", slow.Stats().InFlight)
	fmt.Println("profiles:", quick.Stats().InFlight)
	// Output:
	// reports: 3
	// profiles: 17
}

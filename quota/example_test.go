package quota_test

import (
	"context"
	"fmt"
	"time"

	"github.com/stanch-go/stanch/quota"
)

// Three instances share a quota of 1000 a second. Each asks the store for slices
// and spends them without asking. In production the store is that of
// quota/redisquota, and Run runs beside.
func Example() {
	store := quota.NewMemory(0)
	admitted, asked := 0, uint64(0)
	for range 3 {
		q, err := quota.NewLeased(quota.Config{Mode: quota.ModeLeased, Rate: 1000, Instances: 3}, store, quota.Options{})
		if err != nil {
			panic(err)
		}
		for range 200 {
			if q.Allow(context.Background(), "tenant 7", 1).OK {
				admitted++
			}
		}
		if err := q.Return(context.Background()); err != nil {
			panic(err)
		}
		asked += q.Stats().Asked
	}
	fmt.Println(admitted, "admitted, fewer than 30 round trips:", asked < 30)
	// Output: 600 admitted, fewer than 30 round trips: true
}

func ExampleEmbedded() {
	q, err := quota.NewEmbedded(quota.Config{Rate: 100, Window: time.Minute})
	if err != nil {
		panic(err)
	}
	for range 3 {
		d := q.AllowAt(0, "tenant 7", 40)
		fmt.Println(d.OK, d.Remaining, d.RetryAfter)
	}
	// Output:
	// true 60 0s
	// true 20 0s
	// false 20 12s
}

// What a service does with its time of its own: the store is asked by the caller.
func ExampleLeased_AskAt() {
	store := quota.NewMemory(0)
	q, err := quota.NewLeased(quota.Config{Mode: quota.ModeLeased, Rate: 100}, store, quota.Options{})
	if err != nil {
		panic(err)
	}
	now := int64(0)
	fmt.Println(q.AllowAt(now, "k", 1).OK)
	if take, ok := q.AskAt(now, "k", 1); ok {
		q.GrantedAt(now, take, store.TakeAt(now, take))
	}
	d := q.AllowAt(now, "k", 1)
	fmt.Println(d.OK, d.Remaining)
	// Output:
	// false
	// true 7
}

func ExampleCentral_AllowOnce() {
	q, err := quota.NewCentral(quota.Config{Mode: quota.ModeCentral, Rate: 10, Window: time.Hour}, quota.NewMemory(0))
	if err != nil {
		panic(err)
	}
	for range 3 { // a client that retries, through any instance
		d := q.AllowOnce(context.Background(), "order 17", "tenant 7", 6)
		fmt.Println(d.OK, d.Remaining)
	}
	d := q.AllowOnce(context.Background(), "order 18", "tenant 7", 6)
	fmt.Println(d.OK)
	// Output:
	// true 4
	// true 4
	// true 4
	// false
}

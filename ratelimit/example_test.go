package ratelimit_test

import (
	"context"
	"fmt"
	"time"

	"github.com/stanch-go/stanch/ratelimit"
)

func ExampleBucket() {
	b, err := ratelimit.NewBucket(ratelimit.Config{Rate: 10, Burst: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 4 {
		d := b.AllowAt(0, 1) // in production: b.Allow(1)
		fmt.Println(d.OK, d.Remaining, d.RetryAfter)
	}
	// Output:
	// true 2 0s
	// true 1 0s
	// true 0 0s
	// false 0 100ms
}

func ExampleBucket_ReserveAt() {
	b, _ := ratelimit.NewBucket(ratelimit.Config{Rate: 10, Burst: 1, MaxWait: time.Second})
	b.AllowAt(0, 1)
	first, _ := b.ReserveAt(0, 1)
	second, _ := b.ReserveAt(0, 1)
	fmt.Println(time.Duration(first.At()), time.Duration(second.At()))
	second.CancelAt(0) // somebody else may have it
	third, _ := b.ReserveAt(0, 1)
	fmt.Println(time.Duration(third.At()))
	// Output:
	// 100ms 200ms
	// 200ms
}

func ExampleBucket_Wait() {
	b, _ := ratelimit.NewBucket(ratelimit.Config{Rate: 1, MaxWait: time.Minute})
	b.Allow(1)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := b.Wait(ctx, 1) // at once: it would be in vain
	fmt.Println(err)
	// Output: ratelimit: the turn would come too late: context deadline exceeded
}

func ExampleKeyed() {
	tenants, err := ratelimit.NewKeyed(ratelimit.KeyedConfig{Rate: 100, Window: time.Minute, Burst: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, tenant := range []string{"acme", "acme", "acme", "globex"} {
		d := tenants.AllowAt(0, tenant, 1)
		fmt.Println(tenant, d.OK, d.Remaining, d.RetryAfter)
	}
	// Output:
	// acme true 1 0s
	// acme true 0 0s
	// acme false 0 600ms
	// globex true 1 0s
}

func ExampleNew() {
	for _, algorithm := range []ratelimit.Algorithm{ratelimit.TokenBucket, ratelimit.LeakyMeter, ratelimit.SlidingLog} {
		l, _ := ratelimit.New(ratelimit.Config{Algorithm: algorithm, Rate: 100, Window: time.Minute})
		passed := 0
		for range 1000 {
			if l.AllowAt(0, 1).OK {
				passed++
			}
		}
		fmt.Println(algorithm, passed)
	}
	// Output:
	// token_bucket 100
	// leaky_meter 1
	// sliding_log 100
}

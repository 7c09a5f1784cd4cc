package breaker_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/outcome"
)

var errOpen = errors.New("the breaker is open")

// call ends its permit in a defer, so that a panic and runtime.Goexit count as
// failures and a probe always gives its place back.
func call(b *breaker.Breaker, f func() error) (err error) {
	p, ok := b.Allow()
	if !ok {
		return errOpen
	}
	start := time.Now()
	result := outcome.Failure
	defer func() { b.Done(p, result, time.Since(start)) }()
	if err = f(); err == nil {
		result = outcome.Success
	}
	return err
}

func Example() {
	b, err := breaker.New(breaker.Config{Consecutive: 3, Cooldown: time.Minute}, breaker.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		func() {
			defer func() { fmt.Println("recovered:", recover()) }()
			_ = call(b, func() error { panic("no route") })
		}()
	}
	fmt.Println(call(b, func() error { return nil }))
	fmt.Println(b.State())
	// Output:
	// recovered: no route
	// recovered: no route
	// recovered: no route
	// the breaker is open
	// open
}

// The time is an argument, so a test plays hours without waiting.
func ExampleBreaker_AllowAt() {
	second := int64(time.Second)
	b, _ := breaker.New(
		breaker.Config{Consecutive: 1, Cooldown: 10 * time.Second},
		breaker.Options{OnTransition: func(t breaker.Transition) {
			fmt.Printf("%v: %v -> %v, %s\n", time.Duration(t.At), t.From, t.To, t.Reason)
		}},
	)
	p, _ := b.AllowAt(0)
	b.DoneAt(second, p, outcome.Failure, time.Second)

	_, ok := b.AllowAt(4 * second)
	fmt.Println("admitted:", ok, "retry after:", b.RetryAfterAt(4*second))

	p, _ = b.AllowAt(12 * second)
	b.DoneAt(13*second, p, outcome.Success, time.Second)
	// Output:
	// 1s: closed -> open, consecutive failures
	// admitted: false retry after: 7s
	// 11s: open -> half-open, cooldown over
	// 13s: half-open -> closed, probe succeeded
}

func ExampleConfig_Validate() {
	fmt.Println(breaker.Config{
		FailureRatio: 50,
		Cooldown:     -time.Second,
		RampFrom:     0.1,
	}.Validate())
	// Output:
	// failure_ratio: must be more than 0 and at most 1, is 50
	// cooldown: must not be negative, is -1s
	// ramp_from: has no effect without ramp
}

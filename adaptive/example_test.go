package adaptive_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/stanch-go/stanch/adaptive"
	"github.com/stanch-go/stanch/outcome"
)

var errBusy = errors.New("as many calls are in flight as the dependency can take")

// call gives its permit back in a defer, so that a panic and runtime.Goexit count as
// failures, and no place is ever lost.
func call(l *adaptive.Limiter, f func() error) (err error) {
	permit, ok := l.Acquire()
	if !ok {
		return errBusy
	}
	start, result := time.Now(), outcome.Failure
	defer func() { l.Done(permit, result, time.Since(start)) }()
	if err = f(); err == nil {
		result = outcome.Success
	}
	return err
}

func Example() {
	l, err := adaptive.New(adaptive.Config{Initial: 1, Max: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	func() {
		defer func() { fmt.Println("recovered:", recover()) }()
		_ = call(l, func() error { panic("no route") })
	}()
	fmt.Println(call(l, func() error {
		return call(l, func() error { return nil }) // there is one place
	}))
	fmt.Println(l.Stats().InFlight, "in flight")
	// Output:
	// recovered: no route
	// as many calls are in flight as the dependency can take
	// 0 in flight
}

// The time is an argument, so a test plays minutes without waiting: here of a
// dependency with ten workers that each take 20 ms for a call.
func ExampleLimiter_SampleAt() {
	l, _ := adaptive.New(adaptive.Config{})
	now := int64(0)
	for range 10_000 {
		inFlight := l.Limit() // there is always another caller
		took := max(20*time.Millisecond, 20*time.Millisecond*time.Duration(inFlight)/10)
		now += int64(2 * time.Millisecond)
		l.SampleAt(now, inFlight, outcome.Success, took)
	}
	s := l.Stats()
	fmt.Println("limit", s.Limit, "base", s.Base)
	// Output:
	// limit 13 base 20ms
}

func ExampleThrottle() {
	t, err := adaptive.NewThrottle(adaptive.ThrottleConfig{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	second := int64(time.Second)
	for range 1000 {
		if t.AllowAt(second) {
			t.DoneAt(second, outcome.Failure) // the service refuses everything
		}
	}
	fmt.Println("dropped with a probability of", t.StatsAt(second).Reject)
	// Output:
	// dropped with a probability of 0.9
}

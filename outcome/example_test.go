package outcome_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

func ExampleClassify() {
	errPoor := errors.New("balance too low")
	for _, err := range []error{
		nil,
		errors.New("out of cheese"),
		outcome.Retryable(errors.New("replica is catching up")),
		outcome.Answer(errPoor),
	} {
		v := outcome.Classify(err)
		fmt.Printf("%v: %v, retry %v\n", err, v.Outcome, v.Retry)
	}
	// Output:
	// <nil>: success, retry false
	// out of cheese: failure, retry false
	// replica is catching up: failure, retry true
	// balance too low: success, retry false
}

func ExampleRetryAfter() {
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	fmt.Println(outcome.RetryAfter("120", now))
	fmt.Println(outcome.RetryAfter("Sun, 01 Mar 2026 12:00:03 GMT", now))
	fmt.Println(outcome.RetryAfter("-1", now))
	// Output:
	// 2m0s true
	// 3s true
	// 0s false
}

package stanchtest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/retry"
	"github.com/stanch-go/stanch/stanchtest"
)

// t stands for the argument of a test function.
var t = new(testing.T)

// A test of retries in virtual time: the dependency hangs once and then
// answers. It takes no time, and its times are exact.
func Example() {
	test := func(t *testing.T) {
		var rec stanchtest.Recorder
		db, err := stanch.New("db", stanch.Config{
			Timeout: deadline.Config{Attempt: 100 * time.Millisecond},
			Retry:   retry.Config{Attempts: 2, Base: 20 * time.Millisecond, Jitter: retry.None},
		}, stanch.WithObserver(&rec))
		if err != nil {
			t.Fatal(err)
		}
		script := stanchtest.NewScript(
			stanchtest.Reply[string]{After: stanchtest.Forever},
			stanchtest.Reply[string]{Value: "a row", After: 5 * time.Millisecond},
		)
		row, err := stanch.Do(t.Context(), db, script.Call)
		fmt.Println(row, err)
		for _, line := range rec.Strings() {
			fmt.Println(line)
		}
	}
	synctest.Test(t, test)
	// Output:
	// a row <nil>
	// 0s db: attempt 1
	// 100ms db: attempt-done 1 timeout failure 100ms: context deadline exceeded
	// 100ms db: backoff 2 wait 20ms
	// 120ms db: attempt 2
	// 125ms db: attempt-done 2 ok success 5ms
	// 125ms db: done 2 ok success 125ms
}

// Without virtual time: what the guards did is enough for many tests.
func ExampleRecorder() {
	var rec stanchtest.Recorder
	db := stanch.Must(stanch.New("db", stanch.OptionalRead(), stanch.WithObserver(&rec)))
	script := stanchtest.NewScript(stanchtest.Reply[string]{Err: errors.New("no such table")})
	_, err := stanch.Do(context.Background(), db, script.Call)
	fmt.Println(err)
	fmt.Println(rec.Count(stanch.StepAttempt), "attempt,", rec.Count(stanch.StepBackoff), "retries")
	// Output:
	// no such table
	// 1 attempt, 0 retries
}

package deadline_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/stanch-go/stanch/deadline"
)

// A call of at most one second, with attempts of 400 ms, for a caller that
// waits 900 ms more: how long each attempt may take, and which limit says so.
func ExampleBudget() {
	const ms = int64(time.Millisecond)
	cfg := deadline.Config{
		Attempt: 400 * time.Millisecond,
		Total:   time.Second,
		Reserve: 50 * time.Millisecond,
		Useful:  100 * time.Millisecond,
	}
	budget := cfg.Start(0, 900*ms)
	backoff := 50 * time.Millisecond
	for now := int64(0); budget.Fits(now, 0); {
		end, by := budget.Attempt(now)
		fmt.Printf("at %3d ms: until %3d ms, the %v\n", now/ms, end/ms, by)
		if now = end; !budget.Fits(now, backoff) {
			fmt.Printf("at %3d ms: %v left, give up\n", now/ms, budget.Remaining(now))
			break
		}
		now += int64(backoff)
	}
	// Output:
	// at   0 ms: until 400 ms, the attempt timeout
	// at 450 ms: until 850 ms, the attempt timeout
	// at 850 ms: 0s left, give up
}

// The cause tells one's own timeout from the caller's.
func ExampleWithTimeout() {
	errSlow := errors.New("recommend took too long")
	ctx := deadline.WithTimeout(context.Background(), time.Millisecond, errSlow)
	defer ctx.Cancel()
	<-ctx.Done()
	fmt.Println(ctx.Err(), "-", context.Cause(ctx))
	// Output: context deadline exceeded - recommend took too long
}

func ExampleRead() {
	h := http.Header{}
	h.Set("Grpc-Timeout", "250m")
	h.Set("X-Envoy-Expected-Rq-Timeout-Ms", "soon")
	remaining, ok, err := deadline.Read(h, 10*time.Second)
	fmt.Println(remaining, ok)
	fmt.Println(err)
	// Output:
	// 250ms true
	// X-Envoy-Expected-Rq-Timeout-Ms: "soon" is not a positive whole number of milliseconds
}

func ExampleWrite() {
	h := http.Header{}
	deadline.Write(h, 1234567*time.Microsecond)
	deadline.WriteAttempt(h, 2)
	fmt.Println(h.Get(deadline.HeaderTimeout), h.Get(deadline.HeaderAttempt))
	// Output: 1234 2
}

func ExampleFormatGRPC() {
	for _, d := range []time.Duration{90 * time.Millisecond, 119 * time.Second, 48 * time.Hour, math.MaxInt64} {
		fmt.Println(deadline.FormatGRPC(d))
	}
	// Output:
	// 90000000n
	// 119000m
	// 172800S
	// 2562047H
}

func ExampleConfig_Validate() {
	cfg := deadline.Config{Attempt: 3 * time.Second, Total: 2 * time.Second, Reserve: -time.Second}
	fmt.Println(cfg.Validate())
	// Output:
	// reserve: must not be negative, is -1s
	// attempt: must not exceed total (2s), is 3s
}

package stanch_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/retry"
)

// Time, tries and places are bounded, each by the mechanism that is there for it.
func Example() {
	ctx := context.Background()
	must := func(name string, cfg stanch.Config) *stanch.Dependency { return stanch.Must(stanch.New(name, cfg)) }

	// An attempt gets no more time than its caller has left.
	parent, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	slow := must("slow", stanch.Config{Timeout: deadline.Config{Attempt: 2 * time.Hour}})
	inherits, _ := stanch.Do(parent, slow, func(child context.Context) (bool, error) {
		p, _ := parent.Deadline()
		c, _ := child.Deadline()
		return c.Equal(p), nil
	})
	fmt.Println("child inherits earlier deadline:", inherits)

	// Five attempts would be allowed, the budget pays for two retries.
	flaky := must("flaky", stanch.Config{
		Retry:  retry.Config{Attempts: 5, Base: time.Microsecond, Jitter: retry.None},
		Budget: retry.BudgetConfig{Kind: retry.KindEarning, Max: 2, Trickle: 0.001},
	})
	attempts := 0
	_, err := stanch.Do(ctx, flaky, func(context.Context) (int, error) {
		attempts++
		return 0, outcome.Retryable(errors.New("transient"))
	})
	fmt.Println("attempts:", attempts, "budget exhausted:", errors.Is(err, stanch.ErrBudget))

	// One place and no queue: the second request is refused at once.
	narrow := must("narrow", stanch.Config{Bulkhead: bulkhead.Config{Limit: 1}})
	nothing := func(context.Context) (int, error) { return 0, nil }
	stanch.Do(ctx, narrow, func(ctx context.Context) (int, error) {
		_, err := stanch.Do(ctx, narrow, nothing)
		fmt.Println("second request rejected:", errors.Is(err, stanch.ErrBulkheadFull))
		return 0, nil
	})
	_, err = stanch.Do(ctx, narrow, nothing)
	fmt.Println("slot released:", err == nil)

	// Waits double up to the cap, and never overflow.
	wait := retry.Config{Base: 10 * time.Millisecond, Cap: 80 * time.Millisecond, Jitter: retry.None}
	fmt.Println("capped backoff:", wait.Backoff(1, 0, nil), wait.Backoff(2, 0, nil), wait.Backoff(21, 0, nil))
	// Output:
	// child inherits earlier deadline: true
	// attempts: 3 budget exhausted: true
	// second request rejected: true
	// slot released: true
	// capped backoff: 10ms 20ms 80ms
}

func ExampleDo() {
	users, err := stanch.New("users", stanch.CoreRead(80*time.Millisecond))
	if err != nil {
		panic(err)
	}
	name, err := stanch.Do(context.Background(), users, func(ctx context.Context) (string, error) {
		return "Ada", ctx.Err() // such as a query that heeds ctx
	})
	fmt.Println(name, err)
	// Output: Ada <nil>
}

// The dependency is down. Each of the next best answers is asked in turn, and
// the answer tells whose it is.
func ExampleAsk() {
	recommend := stanch.Must(stanch.New("recommend", stanch.OptionalRead()))
	snapshots, err := fallback.NewStore[string, []string](fallback.StoreConfig{}, nil)
	if err != nil {
		panic(err)
	}
	fetch := func(context.Context) ([]string, error) { return nil, errors.New("connection refused") }

	answer, err := stanch.Ask(context.Background(), recommend, fetch,
		stanch.Or("yesterday's", snapshots.Get("ada")), // nothing is stored yet
		stanch.Or("category", func(context.Context) ([]string, error) { return nil, errors.New("no category") }),
		stanch.Or("popular", func(context.Context) ([]string, error) { return []string{"Go", "SQL"}, nil }),
		stanch.Static("none", []string(nil)),
	)
	fmt.Println(answer.Value, "from", answer.Source, err)
	fmt.Println("degraded:", answer.Degraded(), "because of:", answer.Cause)
	for _, s := range answer.Skipped {
		fmt.Printf("skipped %s: %v\n", s.Name, s.Err)
	}
	// Output:
	// [Go SQL] from popular <nil>
	// degraded: true because of: connection refused
	// skipped yesterday's: fallback: no snapshot
	// skipped category: no category
}

// A preset says what kind of dependency it is; that decides how it is guarded.
func ExampleNew() {
	const p99 = 80 * time.Millisecond
	for _, p := range []struct {
		name string
		cfg  stanch.Config
	}{
		{"profile", stanch.CoreRead(p99)},
		{"order", stanch.CoreWrite(p99)},
		{"recommend", stanch.OptionalRead()},
		{"analytics", stanch.SidePath()},
		{"search", stanch.Standard(3 * p99)},
	} {
		d, err := stanch.New(p.name, p.cfg)
		if err != nil {
			panic(err)
		}
		c := d.Config()
		fmt.Printf("%-9s  %v an attempt, %d at most, opens at %v, %d places\n",
			d.Name(), c.Timeout.Attempt, max(c.Retry.Attempts, 1), c.Breaker.FailureRatio, c.Bulkhead.Limit)
	}
	// Output:
	// profile    160ms an attempt, 2 at most, opens at 0.7, 20 places
	// order      240ms an attempt, 1 at most, opens at 0.8, 20 places
	// recommend  300ms an attempt, 2 at most, opens at 0.3, 10 places
	// analytics  100ms an attempt, 1 at most, opens at 0.5, 10 places
	// search     240ms an attempt, 3 at most, opens at 0.5, 10 places
}

// The error of a refused call says why, and when to come back.
func ExampleRefusal() {
	d := stanch.Must(stanch.New("search", stanch.Config{
		Breaker: breaker.Config{Consecutive: 1, Cooldown: 5 * time.Second},
	}))
	fail := func(context.Context) (int, error) { return 0, errors.New("index is gone") }
	stanch.Do(context.Background(), d, fail)
	_, err := stanch.Do(context.Background(), d, fail)
	if refusal, ok := errors.AsType[*stanch.Refusal](err); ok {
		fmt.Println(refusal.Reason.Label(), refusal.RetryAfter.Round(time.Second))
	}
	fmt.Println(errors.Is(err, stanch.ErrBreakerOpen))
	// Output:
	// breaker_open 5s
	// true
}

// What goes to metrics and logs.
func ExampleWithObserver() {
	observer := stanch.ObserverFunc(func(e stanch.Event) {
		switch e.Step {
		case stanch.StepAttemptDone:
			fmt.Println("attempt", e.Attempt, e.Result)
		case stanch.StepBackoff:
			fmt.Println("again after", e.Wait)
		case stanch.StepDone:
			fmt.Println("done after", e.Attempt, "attempts:", e.Result)
		}
	})
	d := stanch.Must(stanch.New("db", stanch.Config{
		Retry: retry.Config{Attempts: 3, Base: time.Millisecond, Jitter: retry.None},
	}, stanch.WithObserver(observer)))
	calls := 0
	stanch.Do(context.Background(), d, func(context.Context) (int, error) {
		if calls++; calls == 1 {
			return 0, outcome.Retryable(errors.New("lost"))
		}
		return 1, nil
	})
	// Output:
	// attempt 1 error
	// again after 1ms
	// attempt 2 ok
	// done after 2 attempts: ok
}

// An adapter whose answer is read later keeps the attempt's time and place.
func ExampleHold() {
	d := stanch.Must(stanch.New("files", stanch.Config{Bulkhead: bulkhead.Config{Limit: 1}}))
	type stream struct{ close func() }
	s, _ := stanch.Do(context.Background(), d, func(ctx context.Context) (stream, error) {
		return stream{close: stanch.Hold(ctx)}, nil
	})
	fmt.Println("being read:", d.Bulkhead().Stats().InFlight)
	s.close()
	fmt.Println("closed:", d.Bulkhead().Stats().InFlight)
	// Output:
	// being read: 1
	// closed: 0
}

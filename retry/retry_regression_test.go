package retry_test

import (
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/random"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/retry"
)

// tower-rs/tower#857, inherited by Linkerd: the ratio was turned into a whole
// number, so that 0.6 granted a retry for every request, and 0.4 for every other.
func TestRegressionFractionalRatio(t *testing.T) {
	for ratio, want := range map[float64]int{0.4: 401, 0.6: 601} { // one beyond, by the algorithm
		b := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindRatio, Ratio: ratio})
		attempts(b, 0, 1000, true)
		wantGranted(t, b, 0, want)
	}
	b := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindToken, Ratio: 0.6, Max: 1000})
	attempts(b, 0, 100, false)
	attempts(b, 0, 100, true)
	wantBalance(t, b, 0, 960)
	e := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindEarning, Earn: 0.6})
	take(e, 0, 40)
	for range 10 {
		e.DoneAt(0, true, 0)
	}
	wantBalance(t, e, 0, 6)
}

// tower's budget by rate loaded the balance, compared and then added, so that
// concurrent callers all passed one check; Envoy documents the same.
func TestRegressionCheckThenAct(t *testing.T) {
	for range 200 {
		b := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindEarning, Max: 1})
		var granted atomic.Int64
		start := make(chan struct{})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				<-start
				if b.TakeAt(0) {
					granted.Add(1)
				}
			})
		}
		close(start)
		wg.Wait()
		if granted.Load() != 1 {
			t.Fatalf("%d callers took the one token", granted.Load())
		}
	}
}

// aws/aws-sdk-go-v2#3550: in adaptive mode nothing refilled the retry quota;
// after enough failures there were no retries until the process restarted.
func TestRegressionQuotaNeverRefilled(t *testing.T) {
	for _, kind := range []retry.BudgetKind{retry.KindRatio, retry.KindToken, retry.KindEarning} {
		b := retry.NewBudget(retry.BudgetConfig{Kind: kind})
		for range 500 {
			b.TakeAt(0)
			b.AttemptAt(0, false)
			b.DoneAt(0, false, 1)
		}
		if b.TakeAt(0) {
			t.Errorf("%s: not exhausted by 500 failures", kind)
		}
		for range 500 {
			b.AttemptAt(0, true)
			b.DoneAt(0, true, 0)
		}
		if !b.TakeAt(0) {
			t.Errorf("%s: 500 successes earned no retry", kind)
		}
	}
}

// aws/aws-sdk-go-v2#3186: tokens were not given back when the retry got an
// answer that is an error of the business. AWS SDKs also give back the price of
// the last retry only: of 28 for two retries, 14.
func TestRegressionRefund(t *testing.T) {
	b := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindEarning})
	take(b, 0, 2)
	v := outcome.Classify(outcome.Answer(errors.New("no such account")))
	b.DoneAt(0, v.Outcome == outcome.Success, 2)
	wantBalance(t, b, 0, 40)
}

// failsafe-go#139: the minimum was ignored, so a budget that had seen no success
// granted nothing and could not see the dependency recover.
func TestRegressionMinimumIgnored(t *testing.T) {
	b := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindRatio, Ratio: 0.1, Floor: 1})
	for second := range 10 {
		attempts(b, at(float64(second)), 100, false)
		wantGranted(t, b, at(float64(second)), 1)
	}
	e := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindEarning})
	take(e, 0, 100)
	for second := range 10 {
		wantGranted(t, e, at(float64(second+1)), 1)
	}
}

// Budgets that keep a balance and the time of its last change pay the time of
// idleness twice when a full balance does not move that time.
func TestRegressionIdleTimePaidTwice(t *testing.T) {
	b := retry.NewBudget(retry.BudgetConfig{Kind: retry.KindEarning})
	wantGranted(t, b, at(3600), 40)
	wantGranted(t, b, at(3600.5), 0)
}

// hashicorp/go-retryablehttp#247, #295: "Retry-After: 86400" slept a day though
// the longest wait was 30 s, and 9223372037 was a negative wait, so none. Polly's
// longest delay does not bind the server's wish either.
func TestRegressionRetryAfterUnbounded(t *testing.T) {
	c := retry.Config{Attempts: 3}
	for _, h := range []string{"86400", "9223372037", "18446744074"} {
		after, has := outcome.RetryAfter(h, time.Time{})
		if wait, ok := c.WaitFor(1, 0, random.New(1), after, has); ok || wait != after {
			t.Errorf("Retry-After: %s: wait %v, %v, want a refusal that tells the wish", h, wait, ok)
		}
	}
}

// failsafe-go's HTTP policy took a date it could not read as no delay at all:
// three requests within 0.3 ms. A wish of nothing is as bad.
func TestRegressionNoDelay(t *testing.T) {
	c := retry.Config{Attempts: 3, Jitter: retry.None}
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	for _, h := range []string{"0", "-1", "garbage", "Sun, 01 Mar 2026 11:00:00 GMT"} {
		after, has := outcome.RetryAfter(h, now)
		if wait, ok := c.WaitFor(1, 0, nil, after, has); !ok || wait != 100*ms {
			t.Errorf("Retry-After: %s: wait %v, %v, want the backoff of 100ms", h, wait, ok)
		}
	}
}

// Polly#1866: the growing wait overflowed into one of thousands of years.
// failsafe-go#23, avast/retry-go#55 and heimdall: it overflowed into none, or did
// not grow at all.
func TestRegressionBackoffOverflow(t *testing.T) {
	c := retry.Config{Base: time.Second, Cap: time.Minute, Jitter: retry.None}
	var prev time.Duration
	for n := 1; n <= 2000; n++ {
		wait := c.Backoff(n, prev, nil)
		if wait < prev || wait > time.Minute || n <= 6 && wait <= prev {
			t.Fatalf("wait %d is %v after %v", n, wait, prev)
		}
		prev = wait
	}
	c = retry.Config{Base: 1, Multiplier: 1.1, Cap: math.MaxInt64, Jitter: retry.None}
	if wait := c.Backoff(100, 0, nil); wait <= 1000 {
		t.Errorf("a short wait stopped growing: %v", wait)
	}
}

// Envoy applied the cap after the jitter, and so does the usual formula for
// decorrelated jitter: a third of the waits and more were exactly the cap, and
// the callers were back in step.
func TestRegressionWaitsPileUpAtTheCap(t *testing.T) {
	for _, jitter := range []retry.Jitter{retry.Full, retry.Equal, retry.Decorrelated} {
		c := retry.Config{Base: 100 * ms, Cap: time.Second, Jitter: jitter}
		rnd := random.New(1)
		var prev time.Duration
		piled := 0
		for range 10_000 {
			if prev = c.Backoff(9, prev, rnd); prev >= 990*ms {
				piled++
			}
		}
		if piled > 500 {
			t.Errorf("%s: %d of 10000 waits are within 1 %% of the cap", jitter, piled)
		}
	}
}

// Clients that seed alike wait alike, and have their jitter for nothing.
func TestRegressionSameSeed(t *testing.T) {
	var c retry.Config
	same := 0
	for seed := range uint64(100) {
		if c.Backoff(5, 0, random.New(seed)).Round(ms) == c.Backoff(5, 0, random.New(seed+1)).Round(ms) {
			same++
		}
	}
	if same > 5 {
		t.Errorf("%d of 100 neighbours wait the same", same)
	}
}

package deadline

import (
	"context"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// resile sent 119 s as "1M": it took the largest unit, and half of the time was
// lost on the way.
func TestRegressionGRPCTimeoutLosesTheRemainder(t *testing.T) {
	got, err := ParseGRPC(FormatGRPC(119 * time.Second))
	if err != nil || got != 119*time.Second {
		t.Errorf("119s arrives as %v, %v", got, err)
	}
}

// go-retryablehttp multiplied a header's 9223372037 seconds into a negative
// duration and went on at once.
func TestRegressionHeaderOverflow(t *testing.T) {
	h := http.Header{HeaderTimeout: {"9223372036855"}, HeaderGRPCTimeout: {"99999999H"}}
	got, ok, err := Read(h, time.Minute)
	if got != time.Minute || !ok || err == nil {
		t.Errorf("got %v, %v, %v", got, ok, err)
	}
}

// Envoy takes a timeout of 0 as no limit. A sender that rounded its last half
// millisecond down to 0 would hand on all the time in the world.
func TestRegressionZeroMeansForever(t *testing.T) {
	for _, left := range []time.Duration{500 * time.Microsecond, 0, -1} {
		h := http.Header{}
		Write(h, left)
		if got := h.Get(HeaderTimeout); got != "1" {
			t.Errorf("%v left: sent %q", left, got)
		}
	}
}

// Envoy (#13196) sent the whole timeout again with each retry, as if the
// attempts before had taken no time.
func TestRegressionRetryAnnouncesTheFullTime(t *testing.T) {
	b := Config{Total: time.Second}.Start(0, clock.Never)
	for _, now := range []int64{0, 400 * ms, 900 * ms} {
		h := http.Header{}
		end, _ := b.Attempt(now)
		Write(h, time.Duration(end-now))
		if got, _, _ := Read(h, 0); got != time.Second-time.Duration(now) {
			t.Errorf("after %v: announced %v", time.Duration(now), got)
		}
	}
}

// linkerd (#2369) kept retrying for five hours with a total timeout of five
// seconds: the limit was not asked between attempts.
func TestRegressionRetriesOutliveTheTotal(t *testing.T) {
	b := Config{Attempt: time.Second, Total: 5 * time.Second}.Start(0, clock.Never)
	now, attempts := int64(0), 0
	for b.Fits(now, 100*msec) && attempts < 1000 {
		now, _ = b.Attempt(now + 100*ms)
		attempts++
	}
	if now > int64(5*time.Second) || attempts != 5 {
		t.Errorf("%d attempts in %v", attempts, time.Duration(now))
	}
}

// go-retryablehttp (#292), failsafe-go and avast/retry-go slept until the
// deadline when the backoff was longer than the time left, only to fail then.
func TestRegressionHopelessWait(t *testing.T) {
	b := Config{}.Start(0, 500*ms)
	if b.Fits(0, 4*time.Second) {
		t.Error("a backoff of 4s fits into 500ms")
	}
}

// Envoy ignores a per-try timeout that is not shorter than the timeout, without
// a word; the operator believes in a limit that is not there.
func TestRegressionAttemptLongerThanTotalIsSilent(t *testing.T) {
	if (Config{Attempt: 3 * time.Second, Total: time.Second}).Validate() == nil {
		t.Error("no fault")
	}
}

// cep21/circuit (before 4.2) read the clock a second time to find out why a call
// had ended and found timeouts that were none. Here the end and its reason come
// from one look, and stay.
func TestRegressionReasonReadTwice(t *testing.T) {
	clk := new(manual)
	ctx := New(context.Background(), clk, 100, errAttempt)
	clk.now.Store(99)
	ctx.Cancel()
	first := ctx.Err()
	clk.now.Store(200)
	if second := ctx.Err(); first != context.Canceled || second != first || context.Cause(ctx) != context.Canceled {
		t.Errorf("first %v, then %v, cause %v", first, second, context.Cause(ctx))
	}
}

// hystrix-go (#95, #107) and context mergers of other kits kept a goroutine for
// each context until something ended. An abandoned context of ours, and one
// whose children are abandoned, hold none.
func TestRegressionGoroutinePerContext(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 50 {
		ctx := WithTimeout(t.Context(), time.Hour, errAttempt)
		child, cancel := context.WithCancel(ctx)
		child.Done()
		defer ctx.Cancel()
		defer cancel()
	}
	if n := runtime.NumGoroutine() - before; n > 0 {
		t.Errorf("%d goroutines for 50 contexts", n)
	}
}

// A lazy context must not be lazy for those who really wait: work started by
// context.AfterFunc has to run at the deadline though nobody reads Done.
func TestRegressionLazyContextNeverFires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, ran := time.Now(), make(chan time.Duration, 1)
		ctx := WithTimeout(context.Background(), time.Second, errAttempt)
		defer ctx.Cancel()
		context.AfterFunc(ctx, func() { ran <- time.Since(start) })
		if after := <-ran; after != time.Second {
			t.Errorf("ran after %v", after)
		}
	})
}

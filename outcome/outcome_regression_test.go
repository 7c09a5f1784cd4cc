package outcome_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
)

// hashicorp/go-retryablehttp multiplied the seconds of Retry-After unchecked:
// 9223372037 became a negative wait, so an immediate retry, and 18446744074
// a wait of 290 ms.
func TestRegressionRetryAfterOverflow(t *testing.T) {
	for _, h := range []string{"9223372037", "18446744074"} {
		if d, ok := outcome.RetryAfter(h, sunday); !ok || d != math.MaxInt64 {
			t.Errorf("RetryAfter(%q) = %v, %v, want the longest wait", h, d, ok)
		}
	}
}

// failsafe-go's HTTP policy read seconds only: a 503 with a date was retried
// three times within a third of a millisecond. Envoy does not read dates either.
func TestRegressionRetryAfterDate(t *testing.T) {
	h := sunday.Add(3 * time.Second).Format(time.RFC1123)
	h = h[:len(h)-len("UTC")] + "GMT"
	if d, ok := outcome.RetryAfter(h, sunday); !ok || d != 3*time.Second {
		t.Errorf("RetryAfter(%q) = %v, %v, want 3s", h, d, ok)
	}
}

// cenkalti/backoff#184: the error that carried the server's wish dropped its
// cause. #177: with one try, the internal type of a permanent error reached the
// caller in place of the error it held.
func TestRegressionMarkKeepsItsCause(t *testing.T) {
	for _, err := range []error{outcome.After(errPlain, time.Second), outcome.Permanent(errPlain)} {
		if !errors.Is(err, errPlain) || err.Error() != errPlain.Error() {
			t.Errorf("%v hides its cause", err)
		}
	}
}

// hashicorp/go-retryablehttp matches the texts of errors with regexps, so a
// text decides: an error of the application that quotes one is not retried.
func TestRegressionTextsDoNotMatter(t *testing.T) {
	for _, text := range []string{"connection refused", "stopped after 10 redirects", "i/o timeout", "context canceled"} {
		if got := outcome.Classify(errors.New(text)); got != failure {
			t.Errorf("Classify(%q) = %+v, want %+v", text, got, failure)
		}
	}
}

// failsafe-go and go-retryablehttp sent a POST again after a failure that may
// have come after the server had done the work; so did every client that asked
// about the last dial of a chain of redirects.
func TestRegressionNonIdempotentSentTwice(t *testing.T) {
	if outcome.IdempotentMethod("POST") {
		t.Error("POST counts as idempotent")
	}
	if outcome.NeverSent(get(op("dial", errPlain))) {
		t.Error("a client's error counts as proof, though it may have followed a redirect")
	}
}

// go-kratos/kratos#2777: calls refused locally were counted as failures of the
// dependency, so the breaker could not see it recover.
func TestRegressionRefusalIsNoFailure(t *testing.T) {
	if got := outcome.Classify(outcome.Excluded(errPlain)); got.Outcome != outcome.Ignored || got.Retry {
		t.Errorf("a refusal is classified %+v, want it ignored", got)
	}
}

package outcome_test

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/stanch-go/stanch/outcome"
	"pgregory.net/rapid"
)

// wrap hides err below any number of layers, beside errors that say nothing.
func wrap(t *rapid.T, err error) error {
	for range rapid.IntRange(0, 6).Draw(t, "layers") {
		switch rapid.IntRange(0, 3).Draw(t, "layer") {
		case 0:
			err = fmt.Errorf("w: %w", err)
		case 1:
			err = errors.Join(errPlain, err)
		case 2:
			err = errors.Join(err, errPlain)
		case 3:
			err = fmt.Errorf("%w and %w", errPlain, err)
		}
	}
	return err
}

func TestVerdictSurvivesWrapping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		err := rapid.SampledFrom([]error{
			outcome.Retryable(errPlain), outcome.Permanent(syscall.ECONNRESET), outcome.Answer(errPlain),
			outcome.Excluded(context.DeadlineExceeded), outcome.After(errPlain, 3), teapot{errPlain},
			context.Canceled, context.DeadlineExceeded, op("dial", syscall.ECONNREFUSED), syscall.EPIPE,
		}).Draw(t, "error")
		want := outcome.Classify(err)
		wrapped := wrap(t, err)
		if got := outcome.Classify(wrapped); got != want {
			t.Fatalf("Classify(%q) = %+v, unwrapped %+v", wrapped, got, want)
		}
	})
}

func TestNeverSentNeedsProof(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sent := op("read", syscall.ECONNRESET)
		err := errors.Join(op("dial", syscall.ECONNREFUSED), wrap(t, sent))
		if outcome.NeverSent(wrap(t, err)) {
			t.Fatalf("NeverSent(%q), though one of them was", err)
		}
	})
}

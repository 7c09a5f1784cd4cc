package retry_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/random"
	"github.com/stanch-go/stanch/retry"
	"pgregory.net/rapid"
)

func drawConfig(t *rapid.T) retry.Config {
	longest := rapid.Int64Range(1, math.MaxInt64).Draw(t, "cap")
	c := retry.Config{
		Attempts: rapid.IntRange(0, retry.MaxAttempts).Draw(t, "attempts"),
		Base:     time.Duration(rapid.Int64Range(1, longest).Draw(t, "base")),
		Cap:      time.Duration(longest),
		Jitter:   rapid.SampledFrom([]retry.Jitter{"", retry.Full, retry.Equal, retry.Decorrelated, retry.None}).Draw(t, "jitter"),
	}
	if c.Jitter != retry.Decorrelated {
		c.Multiplier = rapid.Float64Range(1, 10).Draw(t, "multiplier")
	}
	if err := c.Validate(); err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
	return c
}

// No wait is negative or above its bound, the bounds grow up to Cap, and a call
// that follows the waits stays below the sum that Waits promises.
func TestWaitsBoundBackoff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		rnd := random.New(rapid.Uint64().Draw(t, "seed"))
		bounds := slices.Collect(c.Waits())
		if len(bounds) != max(c.Attempts-1, 0) {
			t.Fatalf("%d waits for %d attempts", len(bounds), c.Attempts)
		}
		if !slices.IsSorted(bounds) {
			t.Fatalf("waits shrink: %v", bounds)
		}
		var prev time.Duration
		for i, bound := range bounds {
			wait := c.Backoff(i+1, prev, rnd)
			if wait < 0 || wait > bound || bound > c.Cap {
				t.Fatalf("wait %d is %v, want between 0 and %v, at most %v", i+1, wait, bound, c.Cap)
			}
			if c.Jitter == retry.None && wait != bound {
				t.Fatalf("wait %d is %v, want %v", i+1, wait, bound)
			}
			prev = wait
		}
	})
}

// A wait is a function of the configuration, the retry and the seed alone.
func TestBackoffRepeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		seed := rapid.Uint64().Draw(t, "seed")
		n := rapid.Int().Draw(t, "n")
		one, two := c.Backoff(n, 0, random.New(seed)), c.Backoff(n, 0, random.New(seed))
		if one != two {
			t.Fatalf("%v and %v from one seed", one, two)
		}
	})
}

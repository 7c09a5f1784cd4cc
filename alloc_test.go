package stanch_test

import (
	"context"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/internal/clock"
)

// everything is a Dependency with all mechanisms and an observer.
func everything() *stanch.Dependency {
	return stanch.Must(stanch.New("d", stanch.Standard(300*ms), stanch.WithObserver(stanch.ObserverFunc(func(stanch.Event) {}))))
}

func TestAllocations(t *testing.T) {
	fn := func(context.Context) (int, error) { return 1, nil }
	failing := func(context.Context) (int, error) { return 0, errOther }
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	open := everything()
	open.Breaker().ForceOpenAt(clock.Real.Now())
	full := stanch.Must(stanch.New("d", cfg(func(c *stanch.Config) { c.Bulkhead.Limit = 1 })))
	full.Bulkhead().TryAcquire()
	nothing := stanch.Must(stanch.New("d", stanch.Config{}))
	all := everything()
	fails := stanch.Must(stanch.New("d", cfg(func(c *stanch.Config) { c.Timeout.Attempt = time.Second; c.Breaker.MinCalls = 1000000 })))
	for _, tt := range []struct {
		name string
		d    *stanch.Dependency
		fn   func(context.Context) (int, error)
		most float64
	}{
		{"success with everything on", all, fn, 1},
		{"a failure that is not retried", fails, failing, 1},
		{"refused by the breaker", open, fn, 0},
		{"refused by the bulkhead", full, fn, 0},
		{"nothing configured", nothing, fn, 0},
	} {
		if n := testing.AllocsPerRun(1000, func() { stanch.Do(ctx, tt.d, tt.fn) }); n > tt.most {
			t.Errorf("%s: %v allocations, want at most %v", tt.name, n, tt.most)
		}
	}
	if n := testing.AllocsPerRun(1000, func() { stanch.Ask(ctx, all, fn) }); n > 1 {
		t.Errorf("Ask: %v allocations, want at most 1", n)
	}
}

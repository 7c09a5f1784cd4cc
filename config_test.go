package stanch_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/retry"
)

// All faults at once, each with the path that the policy file has for it.
func TestValidateTellsEveryFault(t *testing.T) {
	bad := stanch.Config{
		Timeout:  deadline.Config{Attempt: -1, Total: -1, Connect: -1, Reserve: -1, Useful: -1, Max: -1},
		Retry:    retry.Config{Attempts: -1, Base: -1, Cap: -1, Multiplier: -1, Jitter: "x", RetryAfterCap: -1},
		Budget:   retry.BudgetConfig{Kind: retry.KindRatio, Ratio: -1, Window: -1, Floor: -1, Max: 1, Earn: 1, Trickle: 1},
		Breaker:  breaker.Config{Window: -1, FailureRatio: 2, Cooldown: -1, Probes: -1, Ramp: -1},
		Bulkhead: bulkhead.Config{Limit: -1, Queue: -1, MaxWait: -1, Order: "x", Linger: -1},
		Fallback: fallback.Limits{Timeout: -1, Concurrent: -1},
	}
	err := bad.Validate()
	if err == nil {
		t.Fatal("valid")
	}
	lines := strings.Split(err.Error(), "\n")
	for _, path := range []string{
		"timeout.attempt", "timeout.total", "timeout.connect", "timeout.reserve", "timeout.useful", "timeout.max",
		"retry.attempts", "retry.base", "retry.cap", "retry.multiplier", "retry.jitter", "retry.retry_after_cap",
		"budget.ratio", "budget.window", "budget.floor", "budget.max", "budget.earn", "budget.trickle",
		"breaker.window", "breaker.failure_ratio", "breaker.cooldown", "breaker.probes", "breaker.ramp",
		"bulkhead.limit", "bulkhead.queue", "bulkhead.max_wait", "bulkhead.order", "bulkhead.linger",
		"fallback.timeout", "fallback.concurrent",
	} {
		found := 0
		for _, l := range lines {
			if strings.HasPrefix(l, path+": ") {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%s is told %d times in\n%v", path, found, err)
		}
	}
	for _, l := range lines {
		if path, _, ok := strings.Cut(l, ": "); !ok || !strings.Contains(path, ".") {
			t.Errorf("a fault without a path: %q", l)
		}
	}
}

func TestNewRefusesFaults(t *testing.T) {
	if _, err := stanch.New("", stanch.Config{}); err == nil {
		t.Error("a dependency without a name")
	}
	_, err := stanch.New("db", cfg(func(c *stanch.Config) { c.Retry.Attempts, c.Bulkhead.Limit = -1, -1 }))
	if err == nil || !strings.HasPrefix(err.Error(), `stanch: dependency "db": retry.attempts: `) || !strings.Contains(err.Error(), "bulkhead.limit: ") {
		t.Errorf("got %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("Must let an error pass")
		}
	}()
	stanch.Must(nil, err)
}

// What is not configured is not there.
func TestZeroConfigGuardsNothing(t *testing.T) {
	d := stanch.Must(stanch.New("d", stanch.Config{}))
	if d.Breaker() != nil || d.Bulkhead() != nil || d.Budget() != nil || d.Config() != (stanch.Config{}) || d.Name() != "d" {
		t.Errorf("%+v", d)
	}
}

func TestPresets(t *testing.T) {
	const p99 = 80 * ms
	for _, tt := range []struct {
		class    stanch.Class
		p99      time.Duration
		attempt  time.Duration
		attempts int
		ratio    float64
	}{
		{stanch.ClassCoreRead, p99, 160 * ms, 2, 0.7},
		{stanch.ClassCoreWrite, p99, 240 * ms, 0, 0.8},
		{stanch.ClassOptionalRead, 0, 300 * ms, 2, 0.3},
		{stanch.ClassSidePath, 0, 100 * ms, 0, 0.5},
		{stanch.ClassStandard, p99, 240 * ms, 3, 0.5},
		{stanch.ClassStandard, 0, 300 * ms, 3, 0.5},
	} {
		c, err := stanch.Preset(tt.class, tt.p99)
		if err != nil || c.Timeout.Attempt != tt.attempt || c.Retry.Attempts != tt.attempts || c.Breaker.FailureRatio != tt.ratio || c.Bulkhead.Limit == 0 {
			t.Errorf("%s: %+v, %v", tt.class, c, err)
		}
		if (c.Budget != retry.BudgetConfig{}) != (tt.attempts > 1) {
			t.Errorf("%s: a budget is for retries: %+v", tt.class, c.Budget)
		}
		if err := c.Validate(); err != nil {
			t.Errorf("%s: %v", tt.class, err)
		}
	}
	for class, want := range map[stanch.Class]string{
		stanch.ClassCoreRead:  "p99: class core_read needs the dependency's p99 latency, for example 80ms",
		stanch.ClassCoreWrite: "p99: class core_write needs the dependency's p99 latency, for example 80ms",
	} {
		if _, err := stanch.Preset(class, 0); err == nil || err.Error() != want {
			t.Errorf("%s: %v", class, err)
		}
	}
	if _, err := stanch.Preset("core", p99); err == nil || !strings.Contains(err.Error(), `"core" is none of`) {
		t.Errorf("an unknown class: %v", err)
	}
	if c, err := stanch.Preset("", 0); err != nil || c != (stanch.Config{}) {
		t.Errorf("no class: %+v, %v", c, err)
	}
}

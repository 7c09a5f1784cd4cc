package real_test

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/stanch-go/stanch/sim"
	"github.com/stanch-go/stanch/sim/real"
)

// elsewhere are published figures that this world does not give, in virtual time
// no more than in real time.
var elsewhere = map[string]string{
	"b-retry: retries-2: requests":                        arithmetic,
	"b-retry: retries-2: dependencies.recommend.calls":    arithmetic,
	"d-breaker: no-breaker: failed":                       "the published workers take 830 ms for three attempts, these take 610",
	"d-breaker: no-breaker: fault_latency_ms.p50":         "the wait in the queue is counted here",
	"f-bulkhead: shared-20: classes.B.throughput_per_s":   "56 in lock step, 82 with any jitter: it hangs on who of those that end together asks first",
	"d-breaker: breaker: ok":                              chance,
	"d-breaker: breaker: degraded":                        chance,
	"d-breaker: breaker: refused.queue_full":              chance,
	"d-breaker: breaker: dependencies.recommend.calls":    chance,
	"d-breaker: breaker: first_success_after_recovery_ms": chance,
	"d-breaker: breaker: fault_latency_ms.p50":            "an answer without a call takes a worker 1 ms here, published as 0",
}

const (
	chance     = "it hangs on where the cooldown falls"
	arithmetic = "without any overhead it is 15.6 % more than published, and real time comes within 2 % of that"
)

// TestPublished plays the experiments whose figures others have published from
// real threads. It takes a minute and a half and an idle machine:
//
//	STANCH_REAL=1 go test -v -run Published ./sim/real
func TestPublished(t *testing.T) {
	if os.Getenv("STANCH_REAL") == "" {
		t.Skip("STANCH_REAL is not set")
	}
	for _, name := range []string{"a-timeout", "b-retry", "d-breaker", "f-bulkhead"} {
		s, err := sim.ReadFile("../../scenarios/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		virtual, err := s.Play(t.Context(), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.Play(t.Context(), sim.Options{Mode: sim.Real, Play: func(ctx context.Context, m *sim.Model) (sim.VariantResult, error) {
			return real.Play(ctx, m, nil)
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range r.Expectations {
			if !e.Holds {
				t.Errorf("%s: %s: is %v", name, e.Text, e.Figure)
			}
		}
		for _, v := range s.Variants {
			for path, want := range v.Published.All() {
				key := name + ": " + v.Name + ": " + path
				got, _ := r.Figure(v.Name, path)
				model, _ := virtual.Figure(v.Name, path)
				t.Logf("%-60s published %8v  virtual %8v  real %8v", key, want, model, got)
				if math.Abs(got-want) > 0.15*want && elsewhere[key] == "" {
					t.Errorf("%s is %v in real time, published %v", key, got, want)
				}
			}
		}
	}
}

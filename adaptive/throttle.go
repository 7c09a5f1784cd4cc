package adaptive

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/stanch-go/stanch/internal/random"
	"github.com/stanch-go/stanch/internal/window"
	"github.com/stanch-go/stanch/outcome"
)

// ThrottleConfig describes a [Throttle]. The zero value has the defaults.
type ThrottleConfig struct {
	// K is how many calls are made for each that is accepted. The lower, the
	// fewer are made in vain, and the later a recovery is seen. Default 2.
	// Range 1 to 100.
	K float64 `yaml:"k"`
	// Window is how far back calls are counted. Default 30s. Range 1s to 1h.
	Window time.Duration `yaml:"window"`
	// MaxReject is the most that is dropped, as a share of all calls. What is
	// left sees the recovery: without it, nearly one call a window would. Default
	// 0.9. Range above 0 to 0.999.
	MaxReject float64 `yaml:"max_reject"`
}

// Effective returns c with every default filled in. It throttles as c does.
func (c ThrottleConfig) Effective() ThrottleConfig {
	if c.K == 0 {
		c.K = 2
	}
	if c.Window == 0 {
		c.Window = 30 * time.Second
	}
	if c.MaxReject == 0 {
		c.MaxReject = 0.9
	}
	return c
}

// Validate returns every fault of the configuration, joined, each beginning with
// the name of the field.
func (c ThrottleConfig) Validate() error {
	var k, span, most error
	e := c.Effective()
	if !(e.K >= 1 && e.K <= 100) {
		k = fmt.Errorf("k: must be between 1 and 100, is %v", c.K)
	}
	if e.Window < time.Second || e.Window > time.Hour {
		span = fmt.Errorf("window: must be between 1s and 1h, is %v", c.Window)
	}
	if !(e.MaxReject > 0 && e.MaxReject <= 0.999) {
		most = fmt.Errorf("max_reject: must be above 0 and at most 0.999, is %v", c.MaxReject)
	}
	return errors.Join(k, span, most)
}

// A Throttle drops calls that would probably be refused, with the probability
//
//	max(0, (calls - K × accepted) / (calls + 1))
//
// over a window, but at most MaxReject (Google's client-side throttling: Beyer
// and others, Site Reliability Engineering, 2016, "Handling Overload"). It is
// safe for concurrent use. Make one with [NewThrottle].
type Throttle struct {
	cfg  ThrottleConfig
	rand *rand.Rand // our own, so that no user code runs under mu

	mu    sync.Mutex
	calls *window.Time // those that were not accepted are its failures
	stats ThrottleStats
}

// NewThrottle returns a throttle, or the faults of the configuration. Which
// calls are dropped is drawn from a generator of its own that rnd seeds; nil
// seeds it at random.
func NewThrottle(cfg ThrottleConfig, rnd *rand.Rand) (*Throttle, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	seed := rand.Uint64
	if rnd != nil {
		seed = rnd.Uint64
	}
	cfg = cfg.Effective()
	return &Throttle{cfg: cfg, rand: random.New(seed()), calls: window.NewTime(cfg.Window)}, nil
}

// AllowAt says whether to make the call. If so, DoneAt must be told once what
// came of it.
func (t *Throttle) AllowAt(now int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.reject(t.calls.Counts(now)); p > 0 && t.rand.Float64() < p {
		t.calls.Add(now, true, false)
		t.stats.Rejected++
		return false
	}
	t.stats.Allowed++
	return true
}

// DoneAt reports what came of a call that was allowed. A success was accepted,
// a failure was not; [outcome.Ignored] says nothing.
func (t *Throttle) DoneAt(now int64, o outcome.Outcome) {
	if o == outcome.Ignored {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls.Add(now, o != outcome.Success, false)
}

func (t *Throttle) reject(c window.Counts) float64 {
	accepted := float64(c.Total - c.Failures)
	p := (float64(c.Total) - t.cfg.K*accepted) / float64(c.Total+1)
	return min(max(p, 0), t.cfg.MaxReject)
}

// ThrottleStats is the state of a throttle at one instant, and its totals since
// it was made.
type ThrottleStats struct {
	Reject   float64 // probability with which a call is dropped
	Allowed  uint64  // calls
	Rejected uint64  // calls
}

// StatsAt returns the statistics.
func (t *Throttle) StatsAt(now int64) ThrottleStats {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.stats
	s.Reject = t.reject(t.calls.Counts(now))
	return s
}

package stanch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/fallback"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/internal/random"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/ratelimit"
	"github.com/stanch-go/stanch/retry"
)

// A Dependency guards the calls to one thing that this program depends on. It
// is built once, shared by all callers and safe for concurrent use: the breaker,
// the bulkhead and the retry budget see all calls together.
type Dependency struct {
	name     string
	cfg      Config
	clock    clock.Clock
	observer Observer
	classify func(error) outcome.Verdict
	rand     *rand.Rand
	budget   retry.Budget
	breaker  *breaker.Breaker
	rate     ratelimit.Limiter
	bulkhead *bulkhead.Bulkhead

	gate     *fallback.Gate
	attempts deadline.Kind // of their contexts

	breakerByCall bool // the breaker sees whole calls, not attempts
	untimed       bool // a call that succeeds at once needs no clock
	lastRefusal   atomic.Pointer[Refusal]
}

// An Option gives a Dependency what is not data.
type Option func(*Dependency)

// WithObserver tells o of every step of every call. Given more than once, all
// observers are told, in that order.
func WithObserver(o Observer) Option {
	return func(d *Dependency) {
		if first := d.observer; first != nil {
			d.observer = ObserverFunc(func(e Event) { first.Observe(e); o.Observe(e) })
			return
		}
		d.observer = o
	}
}

// WithClassifier replaces outcome.Classify as the judge of errors. Whether the
// caller went away, the time was up or a guard further in refused is decided
// before the classifier is asked.
func WithClassifier(classify func(error) outcome.Verdict) Option {
	return func(d *Dependency) { d.classify = classify }
}

// WithBulkhead uses b, for instance a share of a pool, instead of a bulkhead of
// the Dependency's own.
func WithBulkhead(b *bulkhead.Bulkhead) Option {
	return func(d *Dependency) { d.bulkhead = b }
}

// WithSeed makes the random waits reproducible. Without it every Dependency
// draws its own seed.
func WithSeed(seed uint64) Option {
	return func(d *Dependency) { d.rand = random.New(seed) }
}

// WithClock runs the Dependency in another time than the machine's. It is for
// the simulator and for package stanchtest.
func WithClock(c clock.Clock) Option {
	return func(d *Dependency) { d.clock = c }
}

// New builds the guard of one dependency. The name appears in errors, events
// and metrics. A faulty configuration is refused with all its faults.
func New(name string, cfg Config, options ...Option) (*Dependency, error) {
	if name == "" {
		return nil, fmt.Errorf("stanch: a dependency needs a name")
	}
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("stanch: dependency %q: %w", name, err)
	}
	d := &Dependency{name: name, cfg: cfg, clock: clock.Real, classify: outcome.Classify}
	for _, o := range options {
		o(d)
	}
	d.attempts = deadline.Kind{Clock: d.clock, Cause: ErrTimeout}
	if d.rand == nil {
		d.rand = random.New(rand.Uint64())
	}
	d.budget = retry.NewBudget(cfg.Budget)
	if cfg.Breaker.Enabled() {
		var err error
		d.breaker, err = breaker.New(cfg.Breaker, breaker.Options{
			OnTransition: func(t breaker.Transition) {
				d.observe(Event{Step: StepTransition, At: t.At, From: t.From, To: t.To})
			},
			Rand: d.rand.Float64,
		})
		if err != nil {
			return nil, fmt.Errorf("stanch: dependency %q: breaker: %w", name, err)
		}
		d.breakerByCall = cfg.Breaker.Counts == breaker.CountsCall
	}
	if cfg.Rate.Rate > 0 {
		var err error
		if d.rate, err = ratelimit.New(cfg.Rate); err != nil {
			return nil, fmt.Errorf("stanch: dependency %q: rate: %w", name, err)
		}
	}
	if d.bulkhead == nil && cfg.Bulkhead.Limit > 0 {
		var err error
		if d.bulkhead, err = bulkhead.New(cfg.Bulkhead); err != nil {
			return nil, fmt.Errorf("stanch: dependency %q: bulkhead: %w", name, err)
		}
	}
	d.untimed = cfg.Timeout == (deadline.Config{}) && d.budget == nil && d.breaker == nil && d.rate == nil && d.bulkhead == nil && d.observer == nil
	var err error
	if d.gate, err = fallback.NewGate(cfg.Fallback, d.within); err != nil {
		return nil, fmt.Errorf("stanch: dependency %q: fallback: %w", name, err)
	}
	return d, nil
}

// within bounds an alternative in time.
func (d *Dependency) within(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	bounded := deadline.New(ctx, d.clock, clock.Add(d.clock.Now(), timeout), nil)
	return bounded, bounded.Cancel
}

// Must returns d, or panics with err. It is for package variables and tests.
func Must(d *Dependency, err error) *Dependency {
	if err != nil {
		panic(err)
	}
	return d
}

// Name returns the name given to New.
func (d *Dependency) Name() string { return d.name }

// Config returns the configuration given to New.
func (d *Dependency) Config() Config { return d.cfg }

// Breaker returns the circuit breaker, nil when there is none.
func (d *Dependency) Breaker() *breaker.Breaker { return d.breaker }

// Bulkhead returns the bulkhead, nil when there is none.
func (d *Dependency) Bulkhead() *bulkhead.Bulkhead { return d.bulkhead }

// Budget returns the retry budget, nil when there is none.
func (d *Dependency) Budget() retry.Budget { return d.budget }

package fallback

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// ValueConfig says when a Value is refreshed and how long it is served.
type ValueConfig struct {
	// Every is the time between two refreshes; each wait is up to a tenth
	// shorter, at random, so that a fleet does not refresh in step. Default
	// 30s; must not be negative.
	Every time.Duration `yaml:"every"`
	// MaxAge is how old the value may be and still be served when refreshes
	// fail. Default ten times Every; must not be less than Every.
	MaxAge time.Duration `yaml:"max_age"`
	// Timeout is the time that one load is given, as the deadline of its
	// context. Default 5s; must not be negative.
	Timeout time.Duration `yaml:"timeout"`
	// Retry is the wait after the first load that fails. It doubles with each
	// further one up to Every; half of it is random. Default 1s, or Every if
	// that is less; must not be negative.
	Retry time.Duration `yaml:"retry"`
	// Rand returns the randomness of the waits, in [0, 1). Default the global
	// source of math/rand/v2.
	Rand func() float64 `yaml:"-"`
}

// Validate returns all faults of the configuration.
func (c ValueConfig) Validate() error {
	var faults []error
	if c.Every < 0 {
		faults = append(faults, negative("every", c.Every))
	}
	if full := c.withDefaults(); c.MaxAge < 0 {
		faults = append(faults, negative("max_age", c.MaxAge))
	} else if full.MaxAge < full.Every {
		faults = append(faults, fmt.Errorf("max_age: must not be less than every (%v), is %v: there would be no value between two refreshes", full.Every, full.MaxAge))
	}
	if c.Timeout < 0 {
		faults = append(faults, negative("timeout", c.Timeout))
	}
	if c.Retry < 0 {
		faults = append(faults, negative("retry", c.Retry))
	}
	return errors.Join(faults...)
}

func (c ValueConfig) withDefaults() ValueConfig {
	c.Every = defaulted(c.Every, 30*time.Second)
	if c.MaxAge == 0 {
		c.MaxAge = math.MaxInt64
		if c.Every < math.MaxInt64/10 {
			c.MaxAge = 10 * c.Every
		}
	}
	c.Timeout = defaulted(c.Timeout, 5*time.Second)
	c.Retry = min(defaulted(c.Retry, time.Second), c.Every)
	if c.Rand == nil {
		c.Rand = rand.Float64
	}
	return c
}

// Value is one value that is refreshed in the background and read from memory:
// the way for data that the degraded path needs, such as what is popular, to
// come from a dependency without the degraded path calling one. It is safe for
// concurrent use.
type Value[T any] struct {
	cfg  ValueConfig
	load Loader[T]
	clk  clock.Clock

	last  atomic.Pointer[reading[T]]
	fault atomic.Pointer[error]
}

// A reading is a value and the instant it is from.
type reading[T any] struct {
	value T
	at    int64
}

// NewValue returns a value that load refreshes, or the faults of the
// configuration. It has no value until its owner lets it load one, by Run, Start
// or Refresh.
func NewValue[T any](cfg ValueConfig, load Loader[T]) (*Value[T], error) {
	err := cfg.Validate()
	if load == nil {
		err = errors.Join(err, errors.New("load: must not be nil"))
	}
	if err != nil {
		return nil, err
	}
	return &Value[T]{cfg: cfg.withDefaults(), load: load, clk: clock.Real}, nil
}

// Load returns the value from memory, at once, and reports its age to the
// alternative that it is part of. Its errors are ErrNoSnapshot, before the
// first load has succeeded, and ErrTooOld; LastError says what went wrong.
func (v *Value[T]) Load(ctx context.Context) (value T, err error) {
	r := v.last.Load()
	if r == nil {
		return value, ErrNoSnapshot
	}
	age := clock.Between(r.at, v.clk.Now())
	if age > v.cfg.MaxAge {
		return value, ErrTooOld
	}
	ReportAge(ctx, age)
	return r.value, nil
}

// LastError returns the error of the last load, nil if it succeeded. A load
// that panicked has failed too: what backs a fallback must not end the process.
func (v *Value[T]) LastError() error {
	if err := v.fault.Load(); err != nil {
		return *err
	}
	return nil
}

// Run refreshes the value, at once and then regularly, until ctx ends. It is
// for one goroutine of the owner; a second one gains nothing. A load runs on
// this goroutine: one that ignores its context holds up the refreshes, and
// Run's return, but no reader.
func (v *Value[T]) Run(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; {
		if v.Refresh(ctx) == nil {
			failures = 0
		} else {
			failures++
		}
		if v.clk.Sleep(ctx, clock.Add(v.clk.Now(), v.cfg.wait(failures))) != nil {
			return
		}
	}
}

// Start is Run on a goroutine of its own, until ctx ends or stop is called.
// stop waits for the end of that goroutine; it may be called more than once.
func (v *Value[T]) Start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		v.Run(ctx)
	}()
	return func() {
		cancel()
		<-ended
	}
}

// Refresh loads the value once, now, and returns the error of the load: for an
// owner who wants the first value before it serves.
func (v *Value[T]) Refresh(ctx context.Context) error {
	began := v.clk.Now() // the value may be as old as that
	value, err := v.loadOnce(ctx)
	switch {
	case err == nil:
		v.last.Store(&reading[T]{value, began})
		v.fault.Store(nil)
	case ctx.Err() == nil: // else the load was stopped, which is no fault of it
		v.fault.Store(&err)
	}
	return err
}

func (v *Value[T]) loadOnce(ctx context.Context) (value T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("fallback: load panicked: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, v.cfg.Timeout)
	defer cancel()
	return v.load(ctx)
}

// wait returns how long to wait after so many failures in a row.
func (c ValueConfig) wait(failures int) time.Duration {
	if failures == 0 {
		return part(c.Every, 1-c.Rand()/10)
	}
	d := c.Retry
	for i := 1; i < failures && d < c.Every; i++ {
		d = c.Every - max(c.Every-d-d, 0) // min(2*d, Every), which cannot overflow
	}
	return part(d, 1-c.Rand()/2)
}

// part returns that part of d, and d where rounding would go beyond it.
func part(d time.Duration, share float64) time.Duration {
	p := float64(d) * share
	if p >= float64(d) {
		return d
	}
	return time.Duration(p)
}

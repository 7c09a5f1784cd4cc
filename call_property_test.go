package stanch_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/retry"
)

// behaviour is what a function does in one attempt.
type behaviour struct {
	what  string
	after time.Duration
}

var behaviours = []string{
	"ok", "ok", "ok", "lost", "lost", "other", "answer", "excluded", "asked to wait",
	"hang", "late", "panic", "goexit", "refused", "cause", "classifier panics", "hold", "hold and panic", "forget", "release late",
}

// caller is one call of a script.
type caller struct {
	at       time.Duration
	cancel   time.Duration // negative: before; 0: never
	within   time.Duration // 0: no deadline
	attempts []behaviour
	panicAt  int // the observer panics at this event of the call, counted from 1
	ask      bool
}

func anyOf[T any](t *rapid.T, label string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, label)
}

func anyConfig(t *rapid.T) stanch.Config {
	c := stanch.Config{
		Timeout: deadline.Config{Attempt: anyOf(t, "attempt", 0, 50*ms), Useful: anyOf(t, "useful", 0, 5*ms)},
		Retry:   retry.Config{Attempts: anyOf(t, "attempts", 0, 1, 2, 3, 5), Base: 7 * ms, Jitter: anyOf(t, "jitter", retry.None, retry.Full)},
		Budget:  retry.BudgetConfig{Kind: anyOf(t, "budget", retry.KindNone, retry.KindRatio, retry.KindToken, retry.KindEarning)},
	}
	if c.Timeout.Attempt > 0 {
		c.Timeout.Total = anyOf(t, "total", 0, 120*ms)
	}
	if c.Budget.Kind == retry.KindToken || c.Budget.Kind == retry.KindEarning {
		c.Budget.Max = anyOf(t, "max", 1, 2, 10)
	}
	if anyOf(t, "breaker", true, true, false) {
		c.Breaker = breaker.Config{
			Consecutive: anyOf(t, "consecutive", 1, 2, 3), Cooldown: 30 * ms, Probes: anyOf(t, "probes", 1, 2),
			ProbeLease: 200 * ms, Counts: anyOf(t, "counts", breaker.CountsAttempts, breaker.CountsCall),
			Dark: anyOf(t, "dark", false, false, true), Ramp: anyOf(t, "ramp", 0, 40*ms),
			Trickle: breaker.Trickle{First: anyOf(t, "trickle", 0, 8*ms)},
		}
	}
	if anyOf(t, "bulkhead", true, true, false) {
		c.Bulkhead = bulkhead.Config{
			Limit: anyOf(t, "limit", 1, 2, 3), Queue: anyOf(t, "queue", 0, 1, 3), MaxWait: 20 * ms,
			Order: anyOf(t, "order", bulkhead.FIFO, bulkhead.LIFO), Linger: anyOf(t, "linger", 0, 60*ms),
		}
	}
	return c
}

func anyCaller(t *rapid.T) caller {
	c := caller{
		at:     time.Duration(rapid.IntRange(0, 200).Draw(t, "at")) * ms,
		cancel: anyOf(t, "cancel", 0, 0, 0, -1, 3*ms, 30*ms, 60*ms),
		within: anyOf(t, "within", 0, 0, 2*ms, 40*ms, 90*ms),
		ask:    rapid.Bool().Draw(t, "ask"),
	}
	for range 3 {
		c.attempts = append(c.attempts, behaviour{anyOf(t, "what", behaviours...), anyOf(t, "after", 0, 1*ms, 13*ms)})
	}
	if rapid.IntRange(0, 5).Draw(t, "observer") == 0 {
		c.panicAt = rapid.IntRange(1, 5).Draw(t, "event")
	}
	return c
}

// Whatever ends a call, everything it held is let go exactly once, its events
// come in a legal order, and the guards go on working.
func TestEveryPermitResolvesOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cfg := anyConfig(rt)
		callers := make([]caller, rapid.IntRange(1, 12).Draw(rt, "callers"))
		for i := range callers {
			callers[i] = anyCaller(rt)
		}
		var faults []string
		synctest.Test(t, func(t *testing.T) { faults = playScript(cfg, callers) })
		if len(faults) > 0 {
			rt.Fatalf("%+v: %q", cfg, faults)
		}
	})
}

// play is one run of a script.
type play struct {
	d       *stanch.Dependency
	mu      sync.Mutex
	calls   map[string]*told // by goroutine
	running int
	faults  []string
}

// told is what was told of one call.
type told struct {
	caller
	events   []stanch.Event
	panicked bool // the observer
	done     int
}

func (p *play) fault(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// goroutine returns the name of the calling goroutine: a call's events are told
// on its own.
func goroutine() string {
	var buf [40]byte
	return string(bytes.Fields(buf[:runtime.Stack(buf[:], false)])[1])
}

func (p *play) Observe(e stanch.Event) {
	p.mu.Lock()
	c := p.calls[goroutine()]
	p.mu.Unlock()
	if b := p.d.Budget(); b != nil {
		most := float64(max(p.d.Config().Budget.Max, 10))
		if p.d.Config().Budget.Kind == retry.KindRatio {
			most = 4 // 0.2 of the floor of 10 or of the successes of these few calls, and one
		}
		if left := b.BalanceAt(e.At); left < 0 || left > most {
			p.fault("the budget's balance is %v", left)
		}
	}
	if c == nil { // the driver's own calls
		return
	}
	if e.Step == stanch.StepDone {
		c.done++
	}
	if e.Step != stanch.StepTransition {
		c.events = append(c.events, e)
	}
	if c.panicAt--; c.panicAt == 0 {
		c.panicked = true
		panic("observer")
	}
}

func playScript(cfg stanch.Config, callers []caller) []string {
	p := &play{calls: map[string]*told{}}
	p.d = stanch.Must(stanch.New("d", cfg, stanch.WithSeed(1), stanch.WithObserver(p), stanch.WithClassifier(func(err error) outcome.Verdict {
		if err == errClassifier {
			panic("classifier")
		}
		return outcome.Classify(err)
	})))
	var wg sync.WaitGroup
	for _, c := range callers {
		wg.Go(func() { p.call(c) })
	}
	wg.Wait()
	time.Sleep(time.Second) // virtual: holds, leases and what lingers are over
	if b := p.d.Bulkhead(); b != nil {
		b.Stats() // a place without a time limit lingers from when somebody notices that its caller has gone
		time.Sleep(time.Second)
	}
	for _, c := range p.calls {
		p.check(c)
	}
	p.checkEnd()
	return p.faults
}

var errClassifier = errors.New("for the classifier")

// call plays one caller, on a goroutine of its own.
func (p *play) call(c caller) {
	time.Sleep(c.at)
	this := &told{caller: c}
	p.mu.Lock()
	p.calls[goroutine()] = this
	p.mu.Unlock()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	if c.cancel < 0 {
		cancel(nil)
	} else if c.cancel > 0 {
		time.AfterFunc(c.cancel, func() { cancel(errOther) })
	}
	if c.within > 0 {
		bounded, free := context.WithTimeout(ctx, c.within)
		defer free()
		ctx = bounded
	}
	defer func() { recover() }()
	n := 0
	fn := func(ctx context.Context) (int, error) {
		p.enter(1)
		defer p.enter(-1)
		n++
		return 0, p.behave(ctx, c.attempts[min(n, len(c.attempts))-1])
	}
	if c.ask {
		stanch.Ask(ctx, p.d, fn, stanch.Or("stale", func(context.Context) (int, error) { return 0, nil }))
		return
	}
	stanch.Do(ctx, p.d, fn)
}

func (p *play) enter(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running += n
	if limit := p.d.Config().Bulkhead.Limit; limit > 0 && p.running > limit {
		p.faults = append(p.faults, fmt.Sprintf("%d run at once", p.running))
	}
}

func (p *play) behave(ctx context.Context, b behaviour) error {
	time.Sleep(b.after)
	switch b.what {
	case "lost":
		return errLost
	case "other":
		return errOther
	case "answer":
		return outcome.Answer(errOther)
	case "excluded":
		return outcome.Excluded(errOther)
	case "asked to wait":
		return outcome.After(errOther, b.after*2)
	case "hang", "cause":
		select {
		case <-ctx.Done():
		case <-time.After(300 * ms):
			return nil
		}
		if b.what == "cause" {
			return context.Cause(ctx)
		}
		return ctx.Err()
	case "late":
		time.Sleep(80 * ms)
	case "panic":
		panic("broken")
	case "goexit":
		runtime.Goexit()
	case "refused":
		return &stanch.Refusal{Dependency: "inner", Reason: stanch.ErrBudget}
	case "classifier panics":
		return errClassifier
	case "hold":
		time.AfterFunc(25*ms, stanch.Hold(ctx))
		stanch.Hold(ctx)()
	case "forget":
		new(stanch.Held).Hold(ctx, ctx)
	case "release late":
		h := new(stanch.Held)
		h.Hold(ctx, ctx)
		time.AfterFunc(50*ms, h.Release) // together with the end of the time, where there is one
	case "hold and panic":
		stanch.Hold(ctx)
		panic("broken")
	}
	return nil
}

// after lists the steps that may follow a step; 99 is the beginning of a call.
var after = map[stanch.Step][]stanch.Step{
	99:                      {stanch.StepAttempt, stanch.StepRefused, stanch.StepDone},
	stanch.StepAttempt:      {stanch.StepAttemptDone},
	stanch.StepAttemptDone:  {stanch.StepBackoff, stanch.StepRetryRefused, stanch.StepDone},
	stanch.StepBackoff:      {stanch.StepAttempt, stanch.StepRefused, stanch.StepDone},
	stanch.StepRefused:      {stanch.StepDone},
	stanch.StepRetryRefused: {stanch.StepDone},
	stanch.StepDone:         {stanch.StepFallback},
}

func (p *play) check(c *told) {
	if c.done != 1 {
		p.fault("%d ends of one call", c.done)
	}
	before, attempts, at := stanch.Step(99), 0, int64(0)
	for _, e := range c.events {
		if !slices.Contains(after[before], e.Step) && !(c.panicked && e.Step == stanch.StepDone) {
			p.fault("%v after %v", e.Step, before)
		}
		switch e.Step {
		case stanch.StepAttempt:
			attempts++
			fallthrough
		case stanch.StepAttemptDone, stanch.StepDone:
			if e.Attempt != attempts {
				p.fault("%v %d is the %d.", e.Step, e.Attempt, attempts)
			}
		case stanch.StepBackoff, stanch.StepRefused, stanch.StepRetryRefused:
			if e.Attempt != attempts+1 {
				p.fault("%v %d after %d attempts", e.Step, e.Attempt, attempts)
			}
		}
		if e.At < at {
			p.fault("%v goes back in time", e.Step)
		}
		before, at = e.Step, e.At
	}
	if most := max(p.d.Config().Retry.Attempts, 1); attempts > most {
		p.fault("%d attempts of %d", attempts, most)
	}
}

func (p *play) checkEnd() {
	if b := p.d.Bulkhead(); b != nil {
		if s := b.Stats(); s.InFlight != 0 || s.Waiting != 0 || s.Lingering != 0 || s.PeakInFlight > s.Limit {
			p.fault("left behind: %+v", s)
		}
	}
	if p.d.Breaker() == nil {
		return
	}
	if s := stats(p.d); s.Probes != 0 {
		p.fault("probes left behind: %+v", s)
	}
	for range 10 {
		stanch.Do(context.Background(), p.d, func(context.Context) (int, error) { return 0, nil })
		time.Sleep(50 * ms)
	}
	if s := p.d.Breaker().StateAt(clock.Real.Now()); s != breaker.Closed {
		p.fault("the breaker stays %v", s)
	}
}

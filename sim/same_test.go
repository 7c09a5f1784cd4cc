package sim

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/internal/clock"
	"github.com/stanch-go/stanch/sim/internal/vtime"
	"github.com/stanch-go/stanch/stanchtest"
)

// sameScript is a script of concurrent calls. No two instants in it should be
// equal: at one instant goroutines run in any order, processes in one.
type sameScript struct {
	deps  []stanch.Config
	pool  int // slots of the pool that the dependencies share; 0: none
	share []bulkhead.Share
	calls []sameCall
}

type sameCall struct {
	to       int
	at       time.Duration
	within   time.Duration // the caller's deadline; 0: none
	cancel   time.Duration // the caller goes away; 0: never
	attempts []sameAttempt // the last one is repeated
	slow     time.Duration // how long the alternative takes; 0: there is none
}

type sameAttempt struct {
	after time.Duration
	err   error
	deaf  bool
}

// run is an attempt in either time.
func (a sameAttempt) run(ctx context.Context, clk clock.Clock) error {
	until := clock.Add(clk.Now(), a.after)
	if a.deaf {
		clk.Sleep(context.Background(), until)
		return a.err
	}
	end := until
	if at, ok := ctx.Deadline(); ok {
		end = min(end, clk.Instant(at))
	}
	if err := clk.Sleep(ctx, end); err != nil {
		return err
	}
	if end < until {
		return context.DeadlineExceeded
	}
	return a.err
}

// samePlay is one run of a script.
type samePlay struct {
	sameScript
	clk   clock.Clock
	start int64
	deps  []*stanch.Dependency

	mu    sync.Mutex
	calls map[string]int // by goroutine, which a coroutine has too
	told  []stanchtest.Recorder
}

func newSamePlay(s sameScript, clk clock.Clock, start int64) (*samePlay, error) {
	p := &samePlay{sameScript: s, clk: clk, start: start, calls: map[string]int{}, told: make([]stanchtest.Recorder, len(s.calls))}
	options := []stanch.Option{stanch.WithClock(clk), stanch.WithSeed(7), stanch.WithObserver(p)}
	pool, err := bulkhead.NewPool(max(s.pool, 1))
	if err != nil {
		return nil, err
	}
	for i, cfg := range s.deps {
		name, options := fmt.Sprint("d", i), options
		if s.pool > 0 {
			share, err := pool.Share(name, s.share[i])
			if err != nil {
				return nil, err
			}
			options = append(options[:len(options):len(options)], stanch.WithBulkhead(share))
		}
		d, err := stanch.New(name, cfg, options...)
		if err != nil {
			return nil, err
		}
		p.deps = append(p.deps, d)
	}
	return p, nil
}

func goroutine() string {
	var buf [40]byte
	return string(bytes.Fields(buf[:runtime.Stack(buf[:], false)])[1])
}

// Observe files an event under the call on whose goroutine it is told.
func (p *samePlay) Observe(e stanch.Event) {
	p.mu.Lock()
	i := p.calls[goroutine()]
	p.mu.Unlock()
	p.told[i].Observe(e)
}

// call makes a call of the script, at its time.
func (p *samePlay) call(i int, ctx context.Context) {
	p.mu.Lock()
	p.calls[goroutine()] = i
	p.mu.Unlock()
	p.told[i].Observe(stanch.Event{At: p.start}) // so that times count from the start
	c := p.sameScript.calls[i]
	n := 0
	fn := func(ctx context.Context) (int, error) {
		n++
		return n, c.attempts[min(n, len(c.attempts))-1].run(ctx, p.clk)
	}
	if c.slow > 0 {
		stanch.Ask(ctx, p.deps[c.to], fn, stanch.Or("stale", func(ctx context.Context) (int, error) {
			return 0, sameAttempt{after: c.slow}.run(ctx, p.clk)
		}))
		return
	}
	stanch.Do(ctx, p.deps[c.to], fn)
}

// lines is what was told, call by call, and what is left of it in the guards.
func (p *samePlay) lines(now int64) []string {
	var lines []string
	for i := range p.told {
		lines = append(lines, fmt.Sprintf("call %d:", i))
		lines = append(lines, p.told[i].Strings()[1:]...)
	}
	for _, d := range p.deps {
		if b := d.Breaker(); b != nil {
			s := b.StatsAt(now)
			s.Since -= p.start
			lines = append(lines, fmt.Sprintf("%s: %+v", d.Name(), s))
		}
		if b := d.Bulkhead(); b != nil {
			lines = append(lines, fmt.Sprintf("%s: %+v", d.Name(), b.StatsAt(now)))
		}
		if b := d.Budget(); b != nil {
			lines = append(lines, fmt.Sprintf("%s: balance %v", d.Name(), b.BalanceAt(now)))
		}
	}
	return lines
}

// sameEnd is when the guards are looked at, long after the last call.
const sameEnd = 20 * time.Second

// playReal plays the script on goroutines with the machine's clock, in a bubble.
func playReal(t *testing.T, s sameScript) (lines []string, start int64) {
	synctest.Test(t, func(t *testing.T) {
		start = clock.Real.Now()
		p, err := newSamePlay(s, clock.Real, start)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i, c := range s.calls {
			wg.Go(func() {
				time.Sleep(c.at)
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				if c.cancel > 0 {
					time.AfterFunc(c.cancel, cancel)
				}
				if c.within > 0 {
					bounded, cancel := context.WithTimeout(ctx, c.within)
					defer cancel()
					ctx = bounded
				}
				p.call(i, ctx)
			})
		}
		wg.Wait()
		lines = p.lines(start + int64(sameEnd))
	})
	return lines, start
}

// playSame plays the script on processes with the simulator's clock.
func playSame(t *testing.T, s sameScript, start int64) *samePlay {
	var sched vtime.Scheduler
	defer sched.Close()
	p, err := newSamePlay(s, sched.Clock(), start)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range s.calls {
		sched.Go(process(func() {
			p.clk.Sleep(context.Background(), start+int64(c.at))
			ctx := &sameContext{clk: p.clk, end: clock.Never}
			if c.cancel > 0 {
				sched.At(clock.Add(p.clk.Now(), c.cancel), ctx)
			}
			if c.within > 0 {
				ctx.end = clock.Add(p.clk.Now(), c.within)
			}
			p.call(i, ctx)
		}))
	}
	sched.Run(clock.Never, nil)
	return p
}

// ambiguous says that attempts of two calls ended at the same instant, so that
// goroutines may have told the breaker in either order. It happens when several
// waiters were let in at once and all timed out.
func (p *samePlay) ambiguous() bool {
	ends := map[int64]bool{}
	for i := range p.told {
		for _, e := range p.told[i].Events() {
			if e.Step == stanch.StepAttemptDone {
				if ends[e.At] {
					return true
				}
				ends[e.At] = true
			}
		}
	}
	return false
}

type process func()

func (p process) Run() { p() }

// sameContext is a caller's context in virtual time.
type sameContext struct {
	clk      clock.Clock
	end      int64
	canceled bool
	onCancel func()
}

func (c *sameContext) Deadline() (time.Time, bool) { return c.clk.Wall(c.end), c.end != clock.Never }
func (c *sameContext) Done() <-chan struct{}       { return nil }
func (c *sameContext) OnCancel(f func())           { c.onCancel = f }

func (c *sameContext) Err() error {
	switch {
	case c.canceled:
		return context.Canceled
	case c.clk.Now() >= c.end:
		return context.DeadlineExceeded
	}
	return nil
}

func (c *sameContext) Value(key any) any {
	if _, ok := key.(vtime.CancelKey); ok {
		return c
	}
	return nil
}

// Fire is the caller going away.
func (c *sameContext) Fire() {
	if c.Err() != nil {
		return
	}
	c.canceled = true
	if c.onCancel != nil {
		c.onCancel()
	}
}

// same plays the script both ways and demands the same. It returns what was
// told, and nothing if the script is ambiguous.
func same(t *testing.T, s sameScript) string {
	t.Helper()
	want, start := playReal(t, s)
	p := playSame(t, s, start)
	if p.ambiguous() {
		return ""
	}
	got := p.lines(start + int64(sameEnd))
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			from, to := max(0, i-8), min(i+3, len(want), len(got))
			t.Fatalf("line %d differs\nsimulated:\n\t%s\nreal:\n\t%s", i,
				strings.Join(got[from:to], "\n\t"), strings.Join(want[from:to], "\n\t"))
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d lines simulated, %d real", len(got), len(want))
	}
	return strings.Join(want, "\n")
}

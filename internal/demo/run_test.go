package demo

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"
)

// brief is the incident in two seconds.
func brief() Config {
	c := Default()
	c.Duration, c.Tick = 2*time.Second, 250*time.Millisecond
	c.StallAt, c.Stall, c.Slow = 300*time.Millisecond, 300*time.Millisecond, time.Second
	return c
}

func TestRun(t *testing.T) {
	cfg := brief()
	played := playUnhurried(t, cfg)
	r := played.Report
	if r.Early || r.Elapsed != cfg.Duration || played.shown < 10 || len(r.Bare.Ticks) != 8 {
		t.Errorf("early %v, %v, shown %d times, %d ticks", r.Early, r.Elapsed, played.shown, len(r.Bare.Ticks))
	}
	for name, s := range map[string]Service{"bare": r.Bare, "guarded": r.Guarded} {
		if sum(s) != cfg.visits() || s.Failed > 0 {
			t.Errorf("%s: %d users, want %d; %d failed", name, sum(s), cfg.visits(), s.Failed)
		}
	}
	if r.Bare.Degraded > 0 || r.Bare.Peak != cfg.Workers || r.Bare.Silence < cfg.Slow/2 || r.Bare.Breaker != "" {
		t.Errorf("bare: %d degraded, %d calls at once, silent for %v, breaker %q",
			r.Bare.Degraded, r.Bare.Peak, r.Bare.Silence, r.Bare.Breaker)
	}
	if r.Guarded.Degraded == 0 || r.Guarded.Live == 0 || r.Guarded.Silence >= r.Bare.Silence {
		t.Errorf("guarded: %d live, %d degraded, silent for %v, bare for %v",
			r.Guarded.Live, r.Guarded.Degraded, r.Guarded.Silence, r.Bare.Silence)
	}
	if !played.states["closed"] || !played.states["open"] {
		t.Errorf("the breaker was seen in %v, want closed and open", played.states)
	}
}

type played struct {
	Report
	shown  int
	states map[string]bool // of the breaker
}

// playUnhurried plays again while the machine turns out to be busy with other
// things, three times at most.
func playUnhurried(t *testing.T, cfg Config) (p played) {
	for range 3 {
		before := runtime.NumGoroutine()
		p = played{states: map[string]bool{}}
		r, err := Run(t.Context(), cfg, 20*time.Millisecond, func(r Report) {
			p.shown++
			p.states[r.Guarded.Breaker] = true
			if sum(r.Bare) > cfg.visits() {
				t.Errorf("%d users at the bare service, only %d were to come", sum(r.Bare), cfg.visits())
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		noneLeft(t, before)
		if p.Report = r; r.Late < 50*time.Millisecond {
			break
		}
	}
	return p
}

// Ended in the middle of the stall, when most that was begun hangs.
func TestRunEndsEarly(t *testing.T) {
	before := runtime.NumGoroutine()
	cfg := brief()
	cfg.Duration, cfg.Slow = time.Minute, time.Hour
	ctx, end := context.WithCancel(t.Context())
	r, err := Run(ctx, cfg, 10*time.Millisecond, func(r Report) {
		if r.Bare.Queued > 0 && r.Bare.Quiet > 4*cfg.Quick {
			end()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	noneLeft(t, before)
	if !r.Early || r.Elapsed >= cfg.Duration || r.Bare.Waiting < cfg.Workers {
		t.Errorf("early %v after %v, %d users wait at the bare service", r.Early, r.Elapsed, r.Bare.Waiting)
	}
}

// What was built before an error is taken down.
func TestBuildFails(t *testing.T) {
	before := runtime.NumGoroutine()
	w := &world{cfg: brief(), began: time.Now()}
	broken := errors.New("broken")
	if err := w.add(func(string) (recommender, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if err := w.close(); err != nil {
		t.Error(err)
	}
	noneLeft(t, before)
}

func sum(s Service) int { return s.Live + s.Degraded + s.Failed + s.GaveUp + s.Waiting }

// noneLeft fails when there are more goroutines than before. The last ones of
// net/http end a moment after those who wait for them.
func noneLeft(t *testing.T, before int) {
	t.Helper()
	patience := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(patience) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}

package demo

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync"
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

// The page is there from the first report on.
func TestPage(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	var text, policy string
	r, err := Run(ctx, brief(), 10*time.Millisecond, func(r Report) {
		if text == "" {
			text, policy = get(t, r.Page), get(t, r.Page+"policy")
		}
		end()
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "recommend") || !strings.Contains(policy, "attempt: 200ms") || !strings.Contains(r.Policy, "attempt: 200ms") {
		t.Errorf("the page is\n%s\nthe policy of the sidecar\n%s\nthat shown\n%s", text, policy, r.Policy)
	}
}

// Told to hold, the sidecar goes on guarding users and its page stays, but
// nothing of that is counted.
func TestRunHolds(t *testing.T) {
	before := runtime.NumGoroutine()
	cfg := brief()
	cfg.Hold, cfg.StallAt, cfg.Duration = true, time.Minute, 100*time.Millisecond
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var held Report
	var wait sync.WaitGroup
	r, err := Run(ctx, cfg, 10*time.Millisecond, func(r Report) {
		if !r.Held {
			return
		}
		held = r
		wait.Go(func() {
			defer end()
			for patience := time.Now().Add(5 * time.Second); calls(t, r.Page) <= r.Guarded.Calls; runtime.Gosched() {
				if time.Now().After(patience) {
					t.Error("no users come any more")
					return
				}
			}
		})
	})
	wait.Wait()
	if err != nil {
		t.Fatal(err)
	}
	noneLeft(t, before)
	if r.Early || !r.Held || sum(r.Guarded) != cfg.visits() || !reflect.DeepEqual(r, held) {
		t.Errorf("it was\n%+v\nand when held\n%+v", r, held)
	}
}

// calls is how many the sidecar has answered.
func calls(t *testing.T, page string) (n int) {
	t.Helper()
	var status struct {
		Dependencies []struct{ Calls map[string]int }
	}
	if err := json.Unmarshal([]byte(get(t, page+"status")), &status); err != nil {
		t.Error(err)
		return 0
	}
	for _, of := range status.Dependencies[0].Calls {
		n += of
	}
	return n
}

func get(t *testing.T, url string) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(url)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %s, %v", url, resp.Status, err)
	}
	return string(text)
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
	if err := w.add(func(string) (*sidecar, error) { return nil, broken }); !errors.Is(err, broken) {
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

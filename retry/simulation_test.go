package retry_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/random"
	"github.com/stanch-go/stanch/retry"
)

// tally is what happened in a simulated time.
type tally struct{ requests, succeeded, calls int }

func (y tally) amplification() float64 { return float64(y.calls) / float64(y.requests) }
func (y tally) success() float64       { return float64(y.succeeded) / float64(y.requests) }

// simulate keeps 20 workers busy with requests for 6 s, each of up to four
// attempts, with backoff from 150 ms and full jitter. An attempt takes latency
// and fails with the probability given. A request begun in time is finished.
func simulate(cfg retry.BudgetConfig, latency time.Duration, failing float64) (y tally) {
	const end, never = int64(6 * time.Second), int64(math.MaxInt64)
	config := retry.Config{Attempts: 4, Base: 150 * ms, Jitter: retry.Full}
	budget := retry.NewBudget(cfg)
	rnd := random.New(1)

	type worker struct {
		next    int64 // when its attempt ends
		retries int
	}
	workers := make([]worker, 20)
	begin := func(w *worker, now int64) {
		if *w = (worker{next: now + int64(latency)}); now >= end {
			w.next = never
			return
		}
		y.requests++
	}
	for i := range workers {
		begin(&workers[i], 0)
	}
	for {
		// One attempt after the other, in the order in which they end.
		i := slices.IndexFunc(workers, func(w worker) bool {
			return !slices.ContainsFunc(workers, func(v worker) bool { return v.next < w.next })
		})
		w := &workers[i]
		now := w.next
		if now == never {
			return y
		}
		y.calls++
		ok := rnd.Float64() >= failing
		if budget != nil {
			budget.AttemptAt(now, ok)
		}
		if !ok && w.retries+1 < config.Attempts && (budget == nil || budget.TakeAt(now)) {
			w.retries++
			w.next = now + int64(config.Backoff(w.retries, 0, rnd)+latency)
			continue
		}
		if budget != nil {
			budget.DoneAt(now, ok, w.retries)
		}
		if ok {
			y.succeeded++
		}
		begin(w, now)
	}
}

// What budgets are for, in two situations: a dependency that fails now and then,
// where retries help, and a dead one, where they are only load. Without a budget
// the first gets 99 % at 1.4 calls a request, the second four times the load.
func TestBudgetsUnderPartialAndTotalFailure(t *testing.T) {
	type from struct{ least, most float64 }
	for _, c := range []struct {
		name            string
		cfg             retry.BudgetConfig
		success         from // share of the requests, partial failure
		partial, outage from // calls a request
	}{
		{"none", retry.BudgetConfig{}, from{0.985, 1}, from{1.35, 1.5}, from{4, 4}},
		{"half", retry.BudgetConfig{Kind: retry.KindRatio, Ratio: 0.5}, from{0.975, 1}, from{1.35, 1.5}, from{1, 1.1}},
		{"ratio", retry.BudgetConfig{Kind: retry.KindRatio}, from{0.85, 0.95}, from{1.25, 1.35}, from{1, 1.05}},
		{"token", retry.BudgetConfig{Kind: retry.KindToken}, from{0.65, 0.75}, from{1, 1.05}, from{1, 1.05}},
		{"earning", retry.BudgetConfig{Kind: retry.KindEarning}, from{0.985, 1}, from{1.35, 1.5}, from{1, 1.1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := func(what string, got float64, want from) {
				t.Logf("%s %.3f", what, got)
				if got < want.least || got > want.most {
					t.Errorf("%s is %.3f, want %v to %v", what, got, want.least, want.most)
				}
			}
			partial := simulate(c.cfg, 30*ms, 0.3)
			want("success, partial failure", partial.success(), c.success)
			want("amplification, partial failure", partial.amplification(), c.partial)
			want("amplification, outage", simulate(c.cfg, 150*ms, 1).amplification(), c.outage)
		})
	}
}

package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch"
	"github.com/stanch-go/stanch/breaker"
	"github.com/stanch-go/stanch/bulkhead"
	"github.com/stanch-go/stanch/deadline"
	"github.com/stanch-go/stanch/outcome"
	"github.com/stanch-go/stanch/retry"
)

const (
	milli = time.Millisecond
	hang  = time.Hour
)

var sameLost = outcome.Retryable(errors.New("lost"))

// stream is n calls, one every so often, each a little beside the beat.
func stream(n int, every time.Duration, make func(i int) sameCall) []sameCall {
	calls := []sameCall{}
	for i := range n {
		c := make(i)
		c.at = time.Duration(i)*every + time.Duration(i*i%997+i)*1009
		calls = append(calls, c)
	}
	return calls
}

// outage hangs calls between two instants and lets the others answer.
func outage(every, from, to time.Duration) func(i int) sameCall {
	return func(i int) sameCall {
		at := time.Duration(i) * every
		c := sameCall{attempts: []sameAttempt{{after: 9*milli + time.Duration(i*37%89)*10007}}}
		if at >= from && at < to {
			c.attempts = []sameAttempt{{after: hang}}
		}
		return c
	}
}

func failing(i int) sameCall {
	c := sameCall{attempts: []sameAttempt{{after: 3*milli + time.Duration(i)*4001, err: sameLost}}}
	if i%3 == 0 {
		c.attempts = append(c.attempts, sameAttempt{after: 2 * milli})
	}
	return c
}

// The same script through the real call path, on goroutines with the machine's
// clock, and through the simulator's processes in virtual time: the same events
// at the same instants, and the same state in the end. Each script must also
// show what it is about.
func TestSameInBothTimes(t *testing.T) {
	retrying := retry.Config{Attempts: 3, Base: 11 * milli, Cap: 90 * milli}
	with := func(jitter retry.Jitter) retry.Config {
		c := retrying
		c.Jitter = jitter
		return c
	}
	short := deadline.Config{Attempt: 50 * milli}
	places := bulkhead.Config{Limit: 2, Queue: 3, MaxWait: 40 * milli}
	order := func(o bulkhead.Order, linger time.Duration) bulkhead.Config {
		c := places
		c.Order, c.Linger = o, linger
		return c
	}
	opening := breaker.Config{Consecutive: 3, Cooldown: 200 * milli, CooldownJitter: 0.3, Probes: 2, ProbeLease: time.Second}
	trickling, ramping, byCall := opening, opening, opening
	trickling.Trickle = breaker.Trickle{First: 20 * milli, Factor: 1.5, Overlap: 2}
	ramping.Ramp = 150 * milli
	byCall.Counts = breaker.CountsCall

	for _, tt := range []struct {
		name  string
		cfg   stanch.Config
		calls []sameCall
		shows []string
	}{
		{"timeouts, deadlines and cancellations", stanch.Config{Timeout: deadline.Config{Attempt: 50 * milli, Reserve: 3 * milli, Useful: 5 * milli}}, []sameCall{
			{at: 1, attempts: []sameAttempt{{after: hang}}},
			{at: 2 * milli, attempts: []sameAttempt{{after: 61 * milli, deaf: true}}},
			{at: 3 * milli, within: 31 * milli, attempts: []sameAttempt{{after: hang}}},
			{at: 4 * milli, within: 7 * milli, attempts: []sameAttempt{{after: hang}}},
			{at: 5 * milli, cancel: 17 * milli, attempts: []sameAttempt{{after: hang}}},
		}, []string{"timeout failure", "late failure", "caller-deadline ignored", "refused 1 deadline", "caller-canceled ignored"}},
		{"full jitter", stanch.Config{Retry: with(retry.Full)}, stream(6, 5*milli, failing), []string{"backoff 2 wait ", "backoff 3 wait "}},
		{"equal jitter", stanch.Config{Retry: with(retry.Equal)}, stream(6, 5*milli, failing), []string{"backoff 3 wait "}},
		{"decorrelated jitter", stanch.Config{Retry: with(retry.Decorrelated)}, stream(6, 5*milli, failing), []string{"backoff 3 wait "}},
		{"retries that do not fit or are not waited for", stanch.Config{Retry: with(retry.Equal), Timeout: short}, stream(6, 5*milli, func(i int) sameCall {
			c := failing(i)
			c.within = []time.Duration{0, 7 * milli, 70 * milli}[i%3]
			c.cancel = []time.Duration{9 * milli, 0, 0}[i%3]
			return c
		}), []string{"retry-refused 2 deadline", "caller-canceled"}},
		{"ratio budget", stanch.Config{Retry: with(retry.None), Budget: retry.BudgetConfig{Kind: retry.KindRatio, Ratio: 1, Window: 100 * milli}}, stream(60, 5*milli, failing), []string{"retry-refused 2 budget", "backoff 3"}},
		{"token budget", stanch.Config{Retry: with(retry.Full), Budget: retry.BudgetConfig{Kind: retry.KindToken}}, stream(30, 5*milli, failing), []string{"retry-refused 2 budget", "backoff 3"}},
		{"earning budget", stanch.Config{Retry: with(retry.Full), Budget: retry.BudgetConfig{Kind: retry.KindEarning, Max: 3, Trickle: 20}}, stream(60, 5*milli, failing), []string{"retry-refused 2 budget", "backoff 3"}},
		{"breaker, half-open", stanch.Config{Timeout: short, Breaker: opening}, stream(200, 7*milli, outage(7*milli, 100*milli, 480*milli)), []string{"closed to open", "open to half-open", "half-open to open", "half-open to closed", "refused 1 breaker_open"}},
		{"breaker with a trickle", stanch.Config{Timeout: short, Breaker: trickling}, stream(120, 7*milli, outage(7*milli, 100*milli, 250*milli)), []string{"closed to open", "open to closed"}},
		{"breaker with a ramp", stanch.Config{Timeout: short, Breaker: ramping}, stream(120, 3*milli, outage(3*milli, 30*milli, 90*milli)), []string{"half-open to closed", "refused 1 breaker_open"}},
		{"breaker of whole calls, with retries", stanch.Config{Timeout: short, Breaker: byCall, Retry: with(retry.Full)}, stream(60, 9*milli, failing), []string{"closed to open", "open to half-open"}},
		{"breaker that ends a retry", stanch.Config{Breaker: opening, Retry: with(retry.Full)}, stream(60, 9*milli, failing), []string{"retry-refused 2 breaker_open"}},
		{"bulkhead with a queue", stanch.Config{Timeout: short, Bulkhead: places}, stream(80, 7*milli, outage(7*milli, 60*milli, 300*milli)), []string{"queued", "refused 1 bulkhead_full", "refused 1 queue_timeout"}},
		{"bulkhead, last in first out", stanch.Config{Timeout: short, Bulkhead: order(bulkhead.LIFO, 0)}, stream(80, 7*milli, outage(7*milli, 60*milli, 300*milli)), []string{"queued", "refused 1 queue_timeout"}},
		{"bulkhead that adapts", stanch.Config{Timeout: short, Bulkhead: order(bulkhead.Adaptive, 0)}, stream(80, 7*milli, outage(7*milli, 60*milli, 300*milli)), []string{"queued", "refused 1 queue_timeout"}},
		{"bulkhead with lingering", stanch.Config{Timeout: short, Bulkhead: order(bulkhead.FIFO, 70*milli)}, stream(90, 7*milli, outage(7*milli, 60*milli, 300*milli)), []string{"queued", "refused 1 bulkhead_full"}},
		{"callers that leave the queue", stanch.Config{Bulkhead: places}, stream(40, 5*milli, func(i int) sameCall {
			c := sameCall{attempts: []sameAttempt{{after: 19 * milli}}}
			if i < 2 {
				c.attempts[0] = sameAttempt{after: 37*milli + time.Duration(i)*1301, deaf: true}
			} else if i%2 == 0 {
				c.cancel = 13*milli + time.Duration(i)*307
			} else {
				c.within = 14 * milli
			}
			return c
		}), []string{"attempt-done 1 caller-canceled", "queued", "done 0 caller-canceled", "refused 1 queue_timeout"}},
		{"fallback", stanch.Config{Timeout: short}, []sameCall{
			{at: 1, slow: 5 * milli, attempts: []sameAttempt{{after: hang}}},
			{at: 2 * milli, slow: 51 * milli, attempts: []sameAttempt{{after: 7 * milli, err: sameLost}}},
			{at: 3 * milli, slow: 5 * milli, within: 20 * milli, attempts: []sameAttempt{{after: hang}}},
			{at: 4 * milli, slow: 5 * milli, cancel: 20 * milli, attempts: []sameAttempt{{after: hang}}},
		}, []string{"fallback stale 5ms", "fallback none"}},
		{"everything", stanch.Standard(50 * milli), stream(900, 5*milli, outage(5*milli, 300*milli, 900*milli)), []string{"closed to open", "open to closed", "backoff", "bulkhead_full"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := same(t, sameScript{deps: []stanch.Config{tt.cfg}, calls: tt.calls})
			for _, what := range tt.shows {
				if !strings.Contains(lines, what) {
					t.Errorf("the script does not show %q", what)
				}
			}
		})
	}
}

// Two dependencies on shares of one pool.
func TestSamePoolInBothTimes(t *testing.T) {
	cfg := stanch.Config{Timeout: deadline.Config{Attempt: 60 * milli}}
	calls := stream(120, 4*milli, outage(4*milli, 80*milli, 300*milli))
	for i := range calls {
		calls[i].to = i % 2
		if calls[i].to == 1 {
			calls[i].attempts = []sameAttempt{{after: 8*milli + time.Duration(i)*401}}
		}
	}
	lines := same(t, sameScript{
		deps: []stanch.Config{cfg, cfg}, pool: 4, calls: calls,
		share: []bulkhead.Share{
			{Guaranteed: 1, Max: 3, Queue: 2, MaxWait: 30 * milli, Linger: 40 * milli},
			{Guaranteed: 1, Lend: true, Queue: 4, MaxWait: 30 * milli, Order: bulkhead.LIFO},
		},
	})
	for _, what := range []string{"d0: attempt 1 queued", "d1: attempt 1 queued", "d0: refused 1", "timeout failure"} {
		if !strings.Contains(lines, what) {
			t.Errorf("the script does not show %q", what)
		}
	}
}

// Random scripts with everything on.
func TestSameAtRandomInBothTimes(t *testing.T) {
	compared := 0
	defer func() {
		if compared < 30 {
			t.Errorf("only %d scripts could be compared", compared)
		}
	}()
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, seed))
			cfg := stanch.Standard(30 * milli)
			cfg.Bulkhead.Limit, cfg.Bulkhead.Queue = 1+r.IntN(4), r.IntN(4)
			cfg.Bulkhead.Linger = time.Duration(r.IntN(2)) * 80 * milli
			cfg.Breaker.Cooldown = 120 * milli
			cfg.Budget.Max = 1 + r.IntN(8)
			told := same(t, sameScript{deps: []stanch.Config{cfg}, calls: stream(60, 3*milli, func(i int) sameCall {
				odd := func(most int) time.Duration { // no multiple of anything
					return time.Duration(r.IntN(most))*milli + time.Duration(r.IntN(1e6)) + 1
				}
				c := sameCall{attempts: []sameAttempt{{after: odd(9)}}}
				for range 2 {
					a := sameAttempt{after: odd(40), deaf: r.IntN(8) == 0}
					if r.IntN(2) == 0 {
						a.err = sameLost
					}
					c.attempts = append(c.attempts, a)
				}
				switch r.IntN(4) {
				case 0:
					c.attempts[0].err = sameLost
				case 1:
					c.attempts[0].after = hang
				}
				switch r.IntN(6) {
				case 0:
					c.within = odd(60)
				case 1:
					c.cancel = odd(60)
				case 2:
					c.slow = odd(60)
				}
				return c
			})})
			if told != "" {
				compared++
			}
		})
	}
}

package quota

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// batch is how many keys one round trip is for: more would not be answered within
// a Timeout, and hold up whoever else asks the store.
const batch = 250

// returning is how many Timeouts the return of everything may take.
const returning = 40

// Run looks after the slices until ctx ends, and then gives them back: it refills
// those that are nearly spent, so that no request waits for the store, and returns
// what idle keys hold, four times in a Period, a round trip for each 250 keys. It
// returns nil, or why the last return failed. Without Run the callers of Allow
// refill, and what a key holds when its requests cease is lost.
func (q *Leased) Run(ctx context.Context) error {
	for {
		s := q.set.Load()
		if clock.Real.Sleep(ctx, clock.Add(clock.Real.Now(), max(s.period/4, time.Millisecond))) != nil {
			return q.Return(context.WithoutCancel(ctx))
		}
		for full := true; full && ctx.Err() == nil; {
			takes := q.gather(clock.Real.Now(), batch, (*lease).due)
			if full = len(takes) == batch; len(takes) > 0 {
				_, err := q.send(ctx, s.Timeout, takes) // told to the leases
				full = full && err == nil
			}
		}
	}
}

// Return gives all slices back to the store, a round trip for each 250 keys, until
// one fails, and for 40 times the Timeout at most. Requests that come after it take
// new ones.
func (q *Leased) Return(ctx context.Context) error {
	s := q.set.Load()
	end := clock.Add(clock.Real.Now(), returning*s.Timeout)
	for { // the answer to what was asked before may be a slice
		now := clock.Real.Now()
		takes := q.gather(now, batch, func(l *lease, now int64, s *settings) (refill, back bool) {
			return false, !l.flying(now, s) && (l.tokens > 0 || l.out.ID != "")
		})
		if len(takes) == 0 {
			return nil
		}
		if now >= end {
			return storeError(ErrTimeout)
		}
		if _, err := q.send(ctx, s.Timeout, takes); err != nil {
			return storeError(err)
		}
	}
}

// DueAt returns what to send to the store now, sorted by key: asks for slices that
// are nearly spent, and what idle keys give back. It forgets keys that hold
// nothing and were not used for a Term. As with AskAt, GrantedAt or FailedAt must
// be told the outcome of each.
func (q *Leased) DueAt(now int64) []Take {
	return q.gather(now, math.MaxInt, (*lease).due)
}

func (l *lease) due(now int64, s *settings) (refill, back bool) {
	if !l.ready(now, s) {
		return false, false
	}
	if idle := now >= clock.Add(l.used, 2*s.period); idle || now >= l.ends {
		return false, l.tokens > 0 || l.out.ID != ""
	}
	demand := min(l.measure(now, s), s.MaxSlice)
	return demand >= 1 && l.tokens < demand/4, false
}

// gather asks the leases what is due, until it is that of most of them.
func (q *Leased) gather(now int64, most int, due func(*lease, int64, *settings) (refill, back bool)) []Take {
	s := q.set.Load()
	if s.Rate == 0 {
		return nil
	}
	var takes []Take
	for i := range q.shards {
		sh := &q.shards[i]
		sh.mu.Lock()
		for key, l := range sh.leases {
			if len(takes) == most {
				break
			}
			t := Take{Key: key}
			switch refill, back := due(l, now, s); {
			case refill:
				_, t.Want = l.wanted(now, s, 0)
			case back:
				t.Return = l.tokens
			case l.flight == nil && l.tokens == 0 && l.out.ID == "" && now >= clock.Add(l.used, s.Term):
				delete(sh.leases, key)
				continue
			default:
				continue
			}
			t.ID = q.ids.next()
			takes = append(takes, l.ask(now, s, t))
		}
		sh.mu.Unlock()
	}
	slices.SortFunc(takes, func(a, b Take) int { return strings.Compare(a.Key, b.Key) })
	return takes
}

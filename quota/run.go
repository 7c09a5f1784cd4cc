package quota

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// Run looks after the slices until ctx ends, and then gives them back: it refills
// those that are nearly spent, so that no request waits for the store, and returns
// what idle keys hold, all in one round trip at most four times in a Period. It
// returns nil, or why the last return failed. Without Run the callers of Allow
// refill, and what a key holds when its requests cease is lost.
func (q *Leased) Run(ctx context.Context) error {
	for {
		s := q.set.Load()
		if clock.Real.Sleep(ctx, clock.Add(clock.Real.Now(), max(s.period/4, time.Millisecond))) != nil {
			return q.Return(context.WithoutCancel(ctx))
		}
		if takes := q.DueAt(clock.Real.Now()); len(takes) > 0 {
			q.send(ctx, s.Timeout, takes) // told to the leases
		}
	}
}

// Return gives all slices back to the store, within three times the Timeout.
// Requests that come after it take new ones.
func (q *Leased) Return(ctx context.Context) error {
	for range 3 { // the answer to what was asked before may be a slice
		now := clock.Real.Now()
		takes := q.gather(now, func(l *lease, s *settings) (refill, back bool) {
			return false, !l.flying(now, s) && (l.tokens > 0 || l.out.ID != "")
		})
		if len(takes) == 0 {
			return nil
		}
		if _, err := q.send(ctx, q.set.Load().Timeout, takes); err != nil {
			return storeError(err)
		}
	}
	return nil
}

// DueAt returns what to send to the store now, sorted by key: asks for slices that
// are nearly spent, and what idle keys give back. It forgets keys that hold
// nothing and were not used for a Term. As with AskAt, GrantedAt or FailedAt must
// be told the outcome of each.
func (q *Leased) DueAt(now int64) []Take {
	return q.gather(now, func(l *lease, s *settings) (refill, back bool) {
		if !l.ready(now, s) {
			return false, false
		}
		if idle := now >= clock.Add(l.used, 2*s.period); idle || now >= l.ends {
			return false, l.tokens > 0 || l.out.ID != ""
		}
		demand := min(l.measure(now, s), s.MaxSlice)
		return demand >= 1 && l.tokens < demand/4, false
	})
}

// gather asks every lease what is due.
func (q *Leased) gather(now int64, due func(*lease, *settings) (refill, back bool)) []Take {
	s := q.set.Load()
	if s.Rate == 0 {
		return nil
	}
	var takes []Take
	for i := range q.shards {
		sh := &q.shards[i]
		sh.mu.Lock()
		for key, l := range sh.leases {
			t := Take{Key: key}
			switch refill, back := due(l, s); {
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

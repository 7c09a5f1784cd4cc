package shed

import (
	"testing"
	"time"

	"github.com/stanch-go/stanch/outcome"
	"pgregory.net/rapid"
)

// Whatever comes: no more in flight than the limit, no more waiting than there is
// room, every permit and every waiter resolves once, and in the end all is empty.
func TestPermitsAndWaiters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 4).Draw(t, "limit")
		room := rapid.IntRange(1, 5).Draw(t, "room")
		s := must(New(Config{Limit: limit, Queue: room, Interval: 20 * time.Millisecond}, nil, seeded(1)))
		now := int64(0)
		var running, ended []Permit
		var waiting []*waiter
		woken := map[*waiter]int{}
		resolve := func(w *waiter, gone bool) {
			p, d := s.settle(now, w, 0, gone)
			if d.OK {
				running = append(running, p)
			}
		}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			now = max(0, now+rapid.Int64Range(-2, 15).Draw(t, "gap")*ms)
			switch step := rapid.IntRange(0, 9).Draw(t, "step"); {
			case step < 5:
				r := Request{Priority: Priority(rapid.IntRange(-2, 1).Draw(t, "priority")), Level: Level(rapid.IntRange(0, 130).Draw(t, "level"))}
				why, ok := s.pass(now, r)
				if !ok {
					s.refuse(now, r.Priority, why)
					continue
				}
				w := &waiter{priority: r.Priority, since: now}
				w.Waiter = waker{func() { woken[w]++ }}
				if permit, _, ok := s.enter(w, limit, 0); !ok {
					s.refuse(now, r.Priority, full)
				} else if permit != (Permit{}) {
					running = append(running, permit)
				} else {
					waiting = append(waiting, w)
				}
			case step < 8 && len(running) > 0:
				i := rapid.IntRange(0, len(running)-1).Draw(t, "which")
				s.DoneAt(now, running[i], outcome.Outcome(step%3), time.Duration(step)*10*time.Millisecond)
				ended = append(ended, running[i])
				running = append(running[:i], running[i+1:]...)
			case step == 8 && len(ended) > 0:
				before := s.Stats()
				s.DoneAt(now, rapid.SampledFrom(ended).Draw(t, "again"), outcome.Success, 0)
				if after := s.Stats(); after != before {
					t.Fatalf("resolved twice: %+v, was %+v", after, before)
				}
			case len(waiting) > 0:
				i := rapid.IntRange(0, len(waiting)-1).Draw(t, "who")
				w := waiting[i]
				waiting = append(waiting[:i], waiting[i+1:]...)
				resolve(w, rapid.Bool().Draw(t, "gone"))
			}
			// Those woken settle at once, and may wake others.
			for again := true; again; {
				again = false
				for i, w := range waiting {
					if woken[w] > 1 {
						t.Fatal("woken twice")
					}
					if woken[w] == 1 {
						waiting = append(waiting[:i:i], waiting[i+1:]...)
						resolve(w, false)
						again = true
						break
					}
				}
			}
			got := s.Stats()
			if got.InFlight != len(running) || got.InFlight > limit || got.Waiting != len(waiting) || got.Waiting > room {
				t.Fatalf("%+v, %d running, %d waiting of %d", got, len(running), len(waiting), room)
			}
			if got.Waiting > 0 && got.InFlight < limit {
				t.Fatalf("a place is free while %d wait: %+v", got.Waiting, got)
			}
		}
		for _, w := range waiting {
			resolve(w, true)
		}
		for _, p := range running {
			s.DoneAt(now, p, outcome.Success, 0)
		}
		if got := s.Stats(); got.InFlight != 0 || got.Waiting != 0 {
			t.Fatalf("in the end: %+v", got)
		}
	})
}

// Nobody of a rank is refused for it while somebody of a lower rank passes.
func TestRankDecides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := must(New(Config{}, nil, seeded(1)))
		s.lowest.Store(int32(rapid.IntRange(0, ranks-1).Draw(t, "lowest")))
		request := func(name string) Request {
			return Request{Priority: Priority(rapid.IntRange(-2, 1).Draw(t, name)), Level: Level(rapid.IntRange(1, Levels).Draw(t, name))}
		}
		a, b := request("a"), request("b")
		if a.Priority < b.Priority || a.Priority == b.Priority && a.Level < b.Level {
			a, b = b, a
		}
		_, okA := s.pass(1, a)
		_, okB := s.pass(1, b)
		if okB && !okA {
			t.Fatalf("%+v is refused, %+v is not", a, b)
		}
	})
}

// However few can be begun, the highest rank always passes; and the threshold is
// 0 again after some intervals in which there was room.
func TestThresholdNeverSticks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var th threshold
		come := func(rank int) int { return rank % 3 }
		for range rapid.IntRange(1, 50).Draw(t, "intervals") {
			got := th.set(interval{
				length:  rapid.Float64Range(1, 12).Draw(t, "length"),
				begun:   rapid.IntRange(0, 600).Draw(t, "begun"),
				turned:  rapid.IntRange(0, 600).Draw(t, "turned"),
				stood:   rapid.Bool().Draw(t, "stood"),
				crowded: rapid.Bool().Draw(t, "crowded"),
			}, come)
			if got < 0 || got >= ranks || !(th.target >= 0) {
				t.Fatalf("lowest %d, target %v", got, th.target)
			}
		}
		for range 80 {
			th.set(interval{length: 1}, come)
		}
		if got := th.set(interval{length: 1}, come); got != 0 {
			t.Fatalf("the lowest rank is %d after 8 s with room", got)
		}
	})
}

// RetryAfter is there for what an overload did, and within its bounds.
func TestRetryAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := must(New(Config{}, nil, seeded(rapid.Uint64().Draw(t, "seed"))))
		s.since.Store(rapid.Int64().Draw(t, "since"))
		for why := range reasons {
			_, d := s.refuse(rapid.Int64().Draw(t, "now"), Critical, why)
			known := why == rank || why == full || why == delay
			if d.OK || d.Reason != Reasons[why] || known != (d.RetryAfter > 0) || d.RetryAfter > 45*time.Second ||
				known && d.RetryAfter < 500*time.Millisecond {
				t.Fatalf("%+v", d)
			}
		}
	})
}

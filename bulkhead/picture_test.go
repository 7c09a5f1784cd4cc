package bulkhead

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/golden"
)

// user is a share with an open stream of calls, played tick by tick.
type user struct {
	*Bulkhead
	perTick func(at int64) int   // calls that arrive
	takes   func(at int64) int64 // how long a call admitted now takes
	ends    []int64              // of the calls in flight
	queue   []*waiter
}

func (u *user) play(now int64) {
	for range u.perTick(now) {
		w := &waiter{Waiter: nobody{}, since: now}
		if admitted, err := u.enter(w, now+100*ms); admitted {
			u.ends = append(u.ends, now+u.takes(now))
		} else if err == nil {
			u.queue = append(u.queue, w)
		}
	}
}

func (u *user) finish(now int64) {
	ends := u.ends
	u.ends = nil
	for _, end := range ends {
		if end <= now {
			u.ReleaseAt(now)
		} else {
			u.ends = append(u.ends, end)
		}
	}
}

// serve starts the calls that have a permit by now and lets the others go on
// waiting, or leave.
func (u *user) serve(now int64) {
	queue := u.queue
	u.queue = nil
	for _, w := range queue {
		switch {
		case !w.granted && now < w.since+100*ms:
			u.queue = append(u.queue, w)
		case u.settle(w, now, w.since+100*ms, nil) == nil:
			u.ends = append(u.ends, now+u.takes(now))
		}
	}
}

// The picture is for review by eye: A turns slow and gets what it may have and
// no more; B goes on, and has its own slots for a burst.
func TestPicture(t *testing.T) {
	wait := Share{Queue: 6, MaxWait: 100 * time.Millisecond}
	forA, forB := wait, wait
	forA.Guaranteed, forA.Max = 4, 8
	forB.Guaranteed = 8
	bs := newPool(t, 20, named{"a", forA}, named{"b", forB})
	a := &user{Bulkhead: bs[0],
		perTick: func(int64) int { return 1 },
		takes: func(at int64) int64 {
			if at >= 100*ms && at < 400*ms {
				return 500*ms - at%(40*ms)
			}
			return 40 * ms
		}}
	b := &user{Bulkhead: bs[1],
		perTick: func(at int64) int {
			if at >= 300*ms && at < 400*ms {
				return 8
			}
			return 4
		},
		takes: func(int64) int64 { return 40 * ms }}

	var out strings.Builder
	out.WriteString("a pool of 20; A has 4 and may borrow up to 8, B has 8; each may queue 6 for 100 ms\n")
	out.WriteString("A: 1 call every 20 ms, of 40 ms, but of 0.5 s from 100 to 400 ms\n")
	out.WriteString("B: 4 calls every 20 ms, of 40 ms, and 8 from 300 to 400 ms\n\n")
	out.WriteString("   at ms  slots                 waiting A  B   refused A   B\n")
	for now := int64(0); now <= 760*ms; now += 20 * ms {
		a.finish(now)
		b.finish(now)
		a.serve(now)
		b.serve(now)
		a.play(now)
		b.play(now)
		sa, sb := a.StatsAt(now), b.StatsAt(now)
		fmt.Fprintf(&out, "  %6d  %s%s%s  %9d %2d   %9d %3d\n", now/ms,
			strings.Repeat("A", sa.InFlight), strings.Repeat(".", 20-sa.InFlight-sb.InFlight), strings.Repeat("B", sb.InFlight),
			sa.Waiting, sb.Waiting, sa.Full+sa.TimedOut, sb.Full+sb.TimedOut)
	}

	golden.Check(t, "testdata/pool.golden", out.String())
}

package bulkhead

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// world plays the same script on the oracle and on the real thing, waiters
// included, and reports the first difference.
type world struct {
	oracle
	real    []*Bulkhead
	pool    *Pool
	holding []int   // shares, one entry a permit in use
	waiting []*call // entered, not settled
	now     int64
}

// call is one caller that had to wait.
type call struct {
	*waiter
	id      int
	share   int
	since   int64
	until   int64
	granted bool // by the oracle
	wakes   int
}

func (c *call) Wake()                                   { c.wakes++ }
func (c *call) Renew()                                  {}
func (c *call) Wait(context.Context, int64) clock.Ended { panic("the model does not wait") }

// choose returns a number below n; what chooses may be rapid or fuzz bytes.
func newWorld(choose func(n int) int) *world {
	w := &world{}
	orders := []Order{FIFO, LIFO, Adaptive}
	lingers := []int64{0, int64(50 * time.Millisecond), int64(2 * time.Second)}
	w.size = 1 + choose(6)
	if choose(4) == 0 {
		s := &oracleShare{max: w.size, room: choose(4), order: orders[choose(3)], linger: lingers[choose(3)]}
		w.shares = []*oracleShare{s}
		w.real = []*Bulkhead{must(New(Config{Limit: w.size, Queue: s.room, MaxWait: time.Second, Order: s.order, Linger: time.Duration(s.linger)}))}
		return w
	}
	w.pool = must(NewPool(w.size))
	for n := range 1 + choose(4) {
		cfg := Share{
			Guaranteed: choose(w.size), Max: choose(w.size + 1), Lend: choose(2) == 0,
			Queue: choose(4), MaxWait: time.Second, Order: orders[choose(3)], Linger: time.Duration(lingers[choose(3)]),
		}
		b, err := w.pool.Share(fmt.Sprint(n), cfg)
		if err != nil {
			continue // faults have tests of their own
		}
		w.real = append(w.real, b)
		s := &oracleShare{guaranteed: cfg.Guaranteed, max: cfg.Max, room: cfg.Queue, lend: cfg.Lend, order: cfg.Order, linger: int64(cfg.Linger)}
		if s.max == 0 {
			s.max = w.size
		}
		w.shares = append(w.shares, s)
	}
	if len(w.real) == 0 {
		w.real = []*Bulkhead{must(w.pool.Share("all", Share{}))}
		w.shares = []*oracleShare{{max: w.size}}
	}
	return w
}

// step does one thing to both and compares. It returns what is wrong.
func (w *world) step(choose func(n int) int) error {
	i := choose(len(w.real))
	switch choose(8) {
	case 0:
		got, want := w.real[i].TryAcquireAt(w.now), w.try(i)
		if got != want {
			return fmt.Errorf("share %d: try gives %v, want %v", i, got, want)
		}
		if got {
			w.holding = append(w.holding, i)
		}
	case 1:
		return w.enter(i)
	case 2:
		if len(w.holding) > 0 {
			w.giveBack(choose(len(w.holding)))
		}
	case 3, 4: // whether or not it has been granted a permit: the race
		if len(w.waiting) > 0 {
			return w.settle(choose(len(w.waiting)), choose(3))
		}
	case 5: // the clock may stand still, and step back
		w.now += []int64{0, 1, int64(30 * time.Millisecond), int64(150 * time.Millisecond), -int64(time.Second)}[choose(5)]
	case 6:
		if len(w.holding) > 0 {
			w.giveUp(choose(len(w.holding)))
		}
	case 7:
		w.real[i].AliveAt(w.now)
		w.lapse(w.now, i)
	}
	return nil
}

func (w *world) enter(i int) error {
	s := w.shares[i]
	w.arrival++
	c := &call{id: w.arrival, share: i, since: w.now, until: clock.Add(w.now, time.Second)}
	c.waiter = &waiter{Waiter: c, since: w.now}
	admitted, err := w.real[i].enter(c.waiter, c.until)
	switch {
	case w.try(i):
		if !admitted || err != nil {
			return fmt.Errorf("share %d: enter gives %v, %v, want a permit", i, admitted, err)
		}
		w.holding = append(w.holding, i)
	case len(s.queue) >= s.room || s.hopeless(c.until):
		if admitted || err != ErrFull {
			return fmt.Errorf("share %d: enter gives %v, %v, want full", i, admitted, err)
		}
	default:
		if admitted || err != nil {
			return fmt.Errorf("share %d: enter gives %v, %v, want a place", i, admitted, err)
		}
		if len(s.queue) == 0 {
			s.busySince = w.now
		}
		s.queue = append(s.queue, c)
		w.waiting = append(w.waiting, c)
	}
	return nil
}

func (w *world) giveBack(h int) {
	i := w.holding[h]
	w.holding = slices.Delete(w.holding, h, h+1)
	w.real[i].ReleaseAt(w.now)
	w.release(i, w.now)
}

func (w *world) giveUp(h int) {
	i := w.holding[h]
	w.holding = slices.Delete(w.holding, h, h+1)
	w.real[i].AbandonAt(w.now)
	w.abandon(i, w.now)
}

func (w *world) settle(k, how int) error {
	c := w.waiting[k]
	now, ended := w.now, error(nil)
	switch how {
	case 0:
		ended = context.Canceled
	case 1:
		now = c.until + 1
	}
	if how == 2 && !c.granted {
		return nil // still waiting
	}
	w.waiting = slices.Delete(w.waiting, k, k+1)
	want := ended
	if how == 1 || ended == nil && now > c.until {
		want = ErrQueueTimeout
	}
	s := w.shares[c.share]
	switch {
	case want == nil:
		w.holding = append(w.holding, c.share)
	case c.granted:
		w.release(c.share, now)
	default:
		s.queue = slices.DeleteFunc(s.queue, func(x *call) bool { return x == c })
	}
	if got := w.real[c.share].settle(c.waiter, now, c.until, ended); got != want {
		return fmt.Errorf("waiter %d of share %d: settle gives %v, want %v", c.id, c.share, got, want)
	}
	return nil
}

// check holds both to the promises of the documentation.
func (w *world) check() error {
	total := 0
	w.lapse(w.now, -1) // as the statistics do
	for i, s := range w.shares {
		got := w.real[i].StatsAt(w.now)
		if got.InFlight != s.inFlight || got.Waiting != len(s.queue) || got.Lingering != len(s.lingering) {
			return fmt.Errorf("share %d: %d in flight, %d waiting, %d lingering; want %d, %d, %d",
				i, got.InFlight, got.Waiting, got.Lingering, s.inFlight, len(s.queue), len(s.lingering))
		}
		if got.InFlight > s.max || got.Waiting > s.room {
			return fmt.Errorf("share %d: over its bounds: %+v", i, got)
		}
		if !s.lend && s.inFlight < s.guaranteed && !w.admits(i) {
			return fmt.Errorf("share %d: below its guarantee and not admissible", i)
		}
		if len(s.queue) > 0 && w.admits(i) {
			return fmt.Errorf("share %d: waits for what is free", i)
		}
		total += got.InFlight
	}
	if total > w.size {
		return fmt.Errorf("%d in flight in a pool of %d", total, w.size)
	}
	for _, c := range w.waiting {
		if c.waiter.granted != c.granted || c.wakes > 1 || (c.wakes == 1) != c.granted {
			return fmt.Errorf("waiter %d: granted %v, woken %d times; want granted %v", c.id, c.waiter.granted, c.wakes, c.granted)
		}
	}
	return nil
}

// drain lets everybody finish, and finds a permit that was lost or doubled.
func (w *world) drain() error {
	for len(w.holding)+len(w.waiting) > 0 {
		if len(w.holding) > 0 {
			w.giveBack(0)
		} else if err := w.settle(0, 0); err != nil {
			return err
		}
		if err := w.check(); err != nil {
			return err
		}
	}
	for i, b := range w.real {
		b.AliveAt(w.now)
		w.lapse(w.now, i)
	}
	strict := 0
	for i, b := range w.real {
		if b.word.Load() != 0 || b.queue.first != nil || b.queue.last != nil {
			return fmt.Errorf("share %d: not empty: %+v", i, b.StatsAt(w.now))
		}
		if !w.shares[i].lend {
			strict += w.shares[i].guaranteed
		}
	}
	if p := w.pool; p != nil && (p.free != p.size || p.reserved != strict) {
		return fmt.Errorf("pool: %d of %d free, %d reserved, want %d", p.free, p.size, p.reserved, strict)
	}
	return nil
}

// start spreads the origin of time over the whole range.
func (w *world) start(choose func(n int) int) {
	w.now = []int64{0, 1 << 40, math.MinInt64 + int64(time.Hour), math.MaxInt64 - int64(time.Hour)}[choose(4)]
}

package shed

import (
	"context"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// fewest is the least default for the queue.
const fewest = 16

// gaps is how many places come free in the time that a waiter is patient for.
const gaps = 15

// Acquire admits a request at once if it can, else it waits in the queue: for
// Interval at most, for Target while overloaded, and as long as the request could
// still finish. With a permit the caller must call DoneAt, in a defer; without one
// the decision says why.
func (s *Shedder) Acquire(ctx context.Context, clk clock.Clock, now int64, r Request) (Permit, Decision) {
	if ctx.Err() != nil {
		return s.refuse(now, r.Priority, canceled)
	}
	if why, ok := s.pass(now, r); !ok {
		return s.refuse(now, r.Priority, why)
	}
	limit := s.limit()
	s.mu.Lock()
	if permit, ok := s.take(r.Priority, limit); ok {
		s.mu.Unlock()
		return permit, Decision{OK: true}
	}
	s.mu.Unlock()
	w := &waiter{Waiter: clk.NewWaiter(), priority: r.Priority, since: now}
	permit, until, ok := s.enter(w, limit, r.Until)
	if !ok {
		return s.refuse(now, r.Priority, full)
	}
	if permit != (Permit{}) {
		return permit, Decision{OK: true}
	}
	w.Wait(ctx, until)
	return s.settle(clk.Now(), w, r.Until, ctx.Err() != nil)
}

// enter puts a waiter into the queue and returns until when it may wait, or the
// permit for a place that has come free meanwhile. From then on only who
// holds the lock may look at it: it may be granted a place at any time.
func (s *Shedder) enter(w *waiter, limit int, deadline int64) (permit Permit, until int64, ok bool) {
	var put parade
	defer func() { put.wake() }()
	s.mu.Lock()
	defer s.mu.Unlock()
	if permit, ok := s.take(w.priority, limit); ok {
		return permit, 0, true
	}
	room := s.settings.Load().Queue
	if room == 0 {
		room = max(limit, fewest)
	}
	overloaded := s.overloaded(w.since)
	if overloaded {
		s.expel(w.since, limit, &put)
	}
	if s.queue.n >= room {
		last := s.queue.after(w.priority, s.lifo())
		if last == nil {
			s.interval.turned++
			return Permit{}, 0, false
		}
		s.putOut(last, full, &put)
	}
	s.queue.push(w)
	patience := int64(s.settings.Load().Interval)
	if overloaded {
		patience = s.patience(limit)
	}
	until = clock.Add(w.since, time.Duration(patience))
	if deadline != 0 {
		until = min(until, deadline-s.service.least.Load())
	}
	return Permit{}, until, true
}

// overloaded says that requests are refused for their rank, or are about to be:
// the queue has not been empty for an interval. The caller holds mu.
func (s *Shedder) overloaded(now int64) bool {
	return s.threshold.shedding || s.queue.n > 0 && clock.Between(s.queue.busy, now) >= s.settings.Load().Interval
}

// patience is the longest wait while overloaded. It lasts until some places have
// come free, but no longer than a request takes: places come free at random, and
// who gives up too soon leaves the next one unused. The caller holds mu.
func (s *Shedder) patience(limit int) int64 {
	share := min(gaps/float64(max(limit, 1)), 1)
	return max(int64(s.settings.Load().Target), int64(share*s.service.mean))
}

// lifo returns how many priorities have the newest first: while requests are
// refused for their rank, those that are. Who ranks higher does not wait long, and
// fares best in the order of arrival. The caller holds mu.
func (s *Shedder) lifo() int {
	if !s.threshold.shedding {
		return 0
	}
	return int(s.lowest.Load())/Levels + 1
}

// expel puts those out who have waited too long. The caller holds mu.
func (s *Shedder) expel(now int64, limit int, put *parade) {
	before := now - s.patience(limit)
	for w := s.queue.stale(before); w != nil; w = s.queue.stale(before) {
		s.putOut(w, delay, put)
	}
}

func (s *Shedder) putOut(w *waiter, why int, put *parade) {
	s.queue.remove(w)
	s.interval.turned++
	w.out, w.refused = true, why
	put.add(w)
}

// grant gives the places that are free to those whose turn it is.
func (s *Shedder) grant(now int64) {
	limit := s.limit()
	var woken parade
	s.mu.Lock()
	overloaded := s.overloaded(now)
	if overloaded {
		s.expel(now, limit, &woken)
	}
	for s.queue.n > 0 && s.permits.Used() < limit {
		w := s.queue.next(s.lifo())
		s.queue.remove(w)
		w.permit = s.begin(w.priority)
		woken.add(w)
	}
	s.mu.Unlock()
	woken.wake()
}

// settle ends a wait, whatever ended it. Only the state decides, never what woke
// the waiter. A permit that came while its context ended goes to the next.
func (s *Shedder) settle(now int64, w *waiter, until int64, gone bool) (Permit, Decision) {
	s.mu.Lock()
	why := delay
	switch {
	case w.permit != (Permit{}) && !gone:
		s.mu.Unlock()
		return w.permit, Decision{OK: true}
	case w.permit != (Permit{}):
		s.permits.Give(w.permit)
		s.admitted[w.priority.index()]--
		s.mu.Unlock()
		s.grant(now)
		return s.refuse(now, w.priority, canceled)
	case w.out:
		why = w.refused
	default:
		s.queue.remove(w)
		s.interval.turned++
		if until != 0 && clock.Between(now, until) <= time.Duration(s.service.least.Load()) {
			why = deadline
		}
	}
	s.mu.Unlock()
	if gone {
		why = canceled
	}
	return s.refuse(now, w.priority, why)
}

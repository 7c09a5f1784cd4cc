package clock

import (
	"context"
	"time"
)

// Real is the machine's monotonic clock.
var Real Clock = real{}

// origin is where instants count from. It carries a monotonic reading, so a step
// of the wall clock moves nothing. It lies before the year 2000, in which the
// time of a testing/synctest bubble begins: instants are not negative there
// either, and mechanisms may start from 0.
var origin = time.Now().Add(-max(0, time.Since(time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC))))

type real struct{}

func (real) Now() int64                   { return int64(time.Since(origin)) }
func (real) Wall(instant int64) time.Time { return origin.Add(time.Duration(instant)) }
func (real) Instant(t time.Time) int64    { return int64(t.Sub(origin)) }

func (c real) Sleep(ctx context.Context, until int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if until == Never {
		<-ctx.Done()
		return ctx.Err()
	}
	now := c.Now()
	if until <= now {
		return nil
	}
	t := time.NewTimer(time.Duration(until - now))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (real) NewWaiter() Waiter { return make(signal, 1) }

type signal chan struct{}

func (s signal) Wake() { s <- struct{}{} } // buffered for the one wake there is

func (s signal) Renew() {
	select {
	case <-s:
	default:
	}
}

func (s signal) Wait(ctx context.Context, until int64) Ended {
	var expired <-chan time.Time
	if until != Never {
		now := Real.Now()
		t := time.NewTimer(time.Duration(max(until, now) - now))
		defer t.Stop()
		expired = t.C
	}
	select {
	case <-s:
		return Woken
	case <-expired:
		return Expired
	case <-ctx.Done():
		return Canceled
	}
}

package vtime

import (
	"context"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

// tells is a context that can end while a process waits.
type tells struct {
	context.Context
	ended    bool
	onCancel func()
}

func (c *tells) OnCancel(f func()) { c.onCancel = f }

func (c *tells) Err() error {
	if c.ended {
		return context.Canceled
	}
	return nil
}

func (c *tells) Value(key any) any {
	if _, ok := key.(CancelKey); ok {
		return c
	}
	return c.Context.Value(key)
}

func (c *tells) end() {
	c.ended = true
	if c.onCancel != nil {
		c.onCancel()
	}
}

func TestWallTime(t *testing.T) {
	s := new(Scheduler)
	c := s.Clock()
	if at := c.Wall(int64(time.Hour)); !at.Equal(Epoch.Add(time.Hour)) || c.Instant(at) != int64(time.Hour) {
		t.Errorf("an hour in is %v, and back %d", at, c.Instant(at))
	}
}

// What ends a wait, and when.
func TestWait(t *testing.T) {
	for _, tt := range []struct {
		name         string
		until        int64
		wake, cancel int64 // -1: never
		want         clock.Ended
		at           int64
	}{
		{"woken", 100, 30, -1, clock.Woken, 30},
		{"woken without a limit", clock.Never, 30, -1, clock.Woken, 30},
		{"expired", 100, -1, -1, clock.Expired, 100},
		{"canceled", 100, -1, 30, clock.Canceled, 30},
		{"woken before it is canceled", 100, 30, 40, clock.Woken, 30},
		{"canceled before it is woken", 100, 40, 30, clock.Canceled, 30},
		{"both at once: the first of them", 100, 30, 30, clock.Woken, 30},
		{"woken at its last instant", 100, 100, -1, clock.Woken, 100},
		{"woken after it has expired", 100, 101, -1, clock.Expired, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := new(Scheduler)
			defer s.Close()
			ctx := &tells{Context: context.Background()}
			var w clock.Waiter
			// Asked for before the wait: at one instant they come first.
			if tt.wake >= 0 {
				s.At(tt.wake, task(func() { w.Wake() }))
			}
			if tt.cancel >= 0 {
				s.At(tt.cancel, task(ctx.end))
			}
			ended := false
			s.Go(body(func() {
				w = s.Clock().NewWaiter()
				if got := w.Wait(ctx, tt.until); got != tt.want || s.Now() != tt.at {
					t.Errorf("ended by %v at %d, want %v at %d", got, s.Now(), tt.want, tt.at)
				}
				ended = true
				if ctx.onCancel != nil {
					t.Error("the context still calls")
				}
			}))
			s.Run(clock.Never, nil)
			if !ended {
				t.Error("it waits for ever")
			}
		})
	}
}

func TestSleep(t *testing.T) {
	d := newDiary()
	defer d.s.Close()
	ctx := &tells{Context: context.Background()}
	d.s.At(30, task(ctx.end))
	d.s.Go(body(func() {
		c := d.s.Clock()
		d.write("%v", c.Sleep(ctx, 20))
		d.write("%v", c.Sleep(ctx, 20)) // past
		d.write("%v", c.Sleep(ctx, 40))
		d.write("%v", c.Sleep(ctx, 10)) // past, but its context has ended
	}))
	d.s.Run(clock.Never, nil)
	d.expect(t, "20 <nil>", "20 <nil>", "30 context canceled", "30 context canceled")
}

// A wake that comes before the wait ends it at once; one that comes after it has
// expired ends the next one, and does not disturb what the process waits for
// otherwise.
func TestWakesOutOfTime(t *testing.T) {
	d := newDiary()
	defer d.s.Close()
	var early, late clock.Waiter
	d.s.At(15, task(func() { late.Wake() }))
	d.s.Go(body(func() {
		c, ctx := d.s.Clock(), context.Background()
		early, late = c.NewWaiter(), c.NewWaiter()
		early.Wake()
		d.write("%v", early.Wait(ctx, clock.Never))
		d.write("%v", late.Wait(ctx, 10))
		d.write("%v", c.Sleep(ctx, 20)) // the wake at 15 is not for this
		d.write("%v", late.Wait(ctx, 30))
		var canceled tells
		canceled.Context, canceled.ended = ctx, true
		d.write("%v", c.NewWaiter().Wait(&canceled, 30))
	}))
	d.s.Run(clock.Never, nil)
	d.expect(t, "0 0", "10 1", "20 <nil>", "20 0", "20 2") // woken, expired, slept, woken, canceled
}

// Two processes wake each other at one instant, and each stale event is ignored.
func TestStaleEvents(t *testing.T) {
	d := newDiary()
	defer d.s.Close()
	var a, b clock.Waiter
	d.s.Go(body(func() {
		a = d.s.Clock().NewWaiter()
		d.write("a %v", a.Wait(context.Background(), 10)) // woken at 10 by b: its own expiry is stale then
		d.sleep(5)
		d.write("a slept")
	}))
	d.s.Go(body(func() {
		b = d.s.Clock().NewWaiter()
		d.sleep(10)
		a.Wake()
		d.write("b %v", b.Wait(context.Background(), 12))
		d.sleep(10)
		d.write("b slept")
	}))
	d.s.Run(clock.Never, nil)
	d.expect(t, "10 a 1", "12 b 1", "15 a slept", "22 b slept")
}

func BenchmarkMillionEvents(b *testing.B) {
	for b.Loop() {
		s := new(Scheduler)
		for range 100 {
			s.Go(body(func() {
				for range 10_000 {
					s.Clock().Sleep(context.Background(), s.Now()+7)
				}
			}))
		}
		s.Run(clock.Never, nil)
		s.Close()
	}
	b.ReportMetric(float64(b.N)*1e6/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkMillionTasks(b *testing.B) {
	for b.Loop() {
		s := new(Scheduler)
		left := 1_000_000
		var again task
		again = func() {
			if left--; left > 0 {
				s.At(s.Now()+int64(left%13), again)
			}
		}
		for range 100 {
			s.At(0, again)
		}
		s.Run(clock.Never, nil)
	}
	b.ReportMetric(float64(b.N)*1e6/b.Elapsed().Seconds(), "events/s")
}

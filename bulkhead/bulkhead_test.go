package bulkhead

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stanch-go/stanch/internal/clock"
)

const ms = int64(time.Millisecond)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// nobody is a waiter that needs no waking.
type nobody struct{ clock.Waiter }

func (nobody) Wake()  {}
func (nobody) Renew() {}

// enqueue puts a waiter into the queue that may wait for a second.
func enqueue(t testing.TB, b *Bulkhead, now int64) *waiter {
	t.Helper()
	w := &waiter{Waiter: nobody{}, since: now}
	if admitted, err := b.enter(w, clock.Add(now, time.Second)); admitted || err != nil {
		t.Fatalf("enter at %v gives %v, %v, want a place", time.Duration(now), admitted, err)
	}
	return w
}

func TestLimit(t *testing.T) {
	b := must(New(Config{Limit: 2}))
	for i, step := range []struct {
		release bool
		want    bool
		flying  int
	}{
		{want: true, flying: 1},
		{want: true, flying: 2},
		{want: false, flying: 2},
		{release: true, flying: 1},
		{want: true, flying: 2},
		{want: false, flying: 2},
		{release: true, flying: 1},
		{release: true, flying: 0},
	} {
		if step.release {
			b.ReleaseAt(0)
		} else if got := b.TryAcquireAt(0); got != step.want {
			t.Fatalf("step %d: got %v", i, got)
		}
		if got := b.StatsAt(0).InFlight; got != step.flying {
			t.Fatalf("step %d: %d in flight, want %d", i, got, step.flying)
		}
	}
	if s := b.StatsAt(0); s.Full != 2 || s.PeakInFlight != 2 || s.Limit != 2 {
		t.Errorf("stats %+v, want 2 refused, a peak of 2 and a limit of 2", s)
	}
}

func TestOffBoundsNothingAndCounts(t *testing.T) {
	b := must(New(Config{}))
	for range 1000 {
		if !b.TryAcquireAt(0) {
			t.Fatal("refused")
		}
	}
	if s := b.StatsAt(0); s.Limit != 0 || s.InFlight != 1000 {
		t.Errorf("stats %+v, want no limit and 1000 in flight", s)
	}
}

func TestNobodyOvertakesTheQueue(t *testing.T) {
	b := must(New(Config{Limit: 1, Queue: 2, MaxWait: time.Second}))
	b.TryAcquireAt(0)
	w := enqueue(t, b, 0)
	b.ReleaseAt(5)
	if !w.granted {
		t.Error("the waiter did not get the permit")
	}
	if b.TryAcquireAt(5) {
		t.Error("a newcomer got a second permit")
	}
}

// The numbers are instants in milliseconds. Each row lets waiters come and
// releases permits, and gives the arrivals in the order in which they are served.
func TestOrder(t *testing.T) {
	for _, tt := range []struct {
		order    Order
		come     []int64
		releases []int64
		want     []int64
	}{
		{"", []int64{1, 2, 3}, []int64{10, 20, 30}, []int64{1, 2, 3}},
		{FIFO, []int64{1, 2, 3}, []int64{10, 200, 300}, []int64{1, 2, 3}},
		{LIFO, []int64{1, 2, 3}, []int64{10, 20, 30}, []int64{3, 2, 1}},
		{Adaptive, []int64{1, 2, 3}, []int64{10, 20, 30}, []int64{1, 2, 3}},
		{Adaptive, []int64{1, 2, 3}, []int64{100, 101, 102}, []int64{1, 3, 2}},         // busy since 1: overloaded from 101
		{Adaptive, []int64{1, 90, 150}, []int64{100, 160, 170}, []int64{1, 150, 90}},   // a served waiter does not make it empty
		{Adaptive, []int64{1, 110, 120}, []int64{105, 130, 140}, []int64{1, 110, 120}}, // but this does
		{Adaptive, []int64{50, 60}, []int64{-1000, 60}, []int64{50, 60}},               // a clock that steps back is harmless
	} {
		t.Run(fmt.Sprint(tt.order, tt.come, tt.releases), func(t *testing.T) {
			b := must(New(Config{Limit: 1, Queue: 9, MaxWait: time.Second, Order: tt.order}))
			b.TryAcquireAt(0)
			var got []int64
			var queue []*waiter
			come := tt.come
			for _, at := range tt.releases {
				for len(come) > 0 && (come[0] < at || at < 0) {
					queue = append(queue, enqueue(t, b, come[0]*ms))
					come = come[1:]
				}
				b.ReleaseAt(at * ms)
				queue = slices.DeleteFunc(queue, func(w *waiter) bool {
					if w.granted {
						got = append(got, w.since/ms)
					}
					return w.granted
				})
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("served %v, want %v", got, tt.want)
			}
		})
	}
}

func TestStats(t *testing.T) {
	b := must(New(Config{Limit: 1, Queue: 3, MaxWait: time.Second}))
	b.TryAcquireAt(0)
	served, late, gone := enqueue(t, b, 10), enqueue(t, b, 20), enqueue(t, b, 30)
	if _, err := b.enter(&waiter{}, 100); err != ErrFull {
		t.Errorf("a fourth waiter gets %v", err)
	}
	if s := b.StatsAt(50); s.OldestWait != 40 || s.Waiting != 3 || s.PeakWaiting != 3 {
		t.Errorf("while waiting: %+v", s)
	}
	b.ReleaseAt(60)
	b.settle(served, 65, 100, nil)
	b.settle(late, 101, 100, nil)
	b.settle(gone, 101, 1000, fmt.Errorf("went away"))
	want := Stats{
		Limit: 1, InFlight: 1, PeakInFlight: 1, PeakWaiting: 3,
		Full: 1, TimedOut: 1, Canceled: 1, Queued: 1, WaitTotal: 55, WaitMax: 55,
	}
	if got := b.StatsAt(200); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestTimeSaturates(t *testing.T) {
	for _, tt := range []struct {
		from, to int64
		want     time.Duration
	}{
		{1, 3, 2}, {3, 1, 0}, {3, 3, 0},
		{math.MinInt64, math.MaxInt64, math.MaxInt64},
		{math.MaxInt64, math.MinInt64, 0},
		{-1, math.MaxInt64, math.MaxInt64},
	} {
		if got := clock.Between(tt.from, tt.to); got != tt.want {
			t.Errorf("from %d to %d: %d, want %d", tt.from, tt.to, got, tt.want)
		}
	}
	var w waits
	w.admit(math.MaxInt64)
	w.admit(1)
	if w.total != math.MaxInt64 {
		t.Errorf("the total wait overflowed to %d", w.total)
	}
}

func TestNoAllocation(t *testing.T) {
	alone := must(New(Config{Limit: 1, Queue: 1, MaxWait: 1}))
	share := must(must(NewPool(2)).Share("a", Share{Guaranteed: 1}))
	full := must(New(Config{Limit: 1}))
	full.TryAcquireAt(0)
	ctx := t.Context()
	for name, f := range map[string]func(){
		"try":     func() { alone.TryAcquireAt(0); alone.ReleaseAt(0) },
		"acquire": func() { alone.Acquire(ctx, clock.Real, 0, clock.Never); alone.ReleaseAt(0) },
		"share":   func() { share.TryAcquireAt(0); share.ReleaseAt(0) },
		"refuse":  func() { full.Acquire(ctx, clock.Real, 0, clock.Never) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

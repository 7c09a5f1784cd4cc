package bulkhead

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

type named struct {
	name string
	Share
}

func newPool(t *testing.T, size int, shares ...named) []*Bulkhead {
	t.Helper()
	p := must(NewPool(size))
	var bs []*Bulkhead
	for _, s := range shares {
		b, err := p.Share(s.name, s.Share)
		if err != nil {
			t.Fatal(err)
		}
		bs = append(bs, b)
	}
	return bs
}

// fill takes permits until it is refused and says how many it took.
func fill(b *Bulkhead) (n int) {
	for b.TryAcquireAt(0) {
		n++
	}
	return n
}

// Who can have how many, when the shares fill up one after the other.
func TestBorrowing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		shares []named
		want   []int
	}{
		{"all guaranteed", []named{{"a", Share{Guaranteed: 6}}, {"b", Share{Guaranteed: 4}}}, []int{6, 4}},
		{"the rest is borrowed", []named{{"a", Share{Guaranteed: 2}}, {"b", Share{Guaranteed: 4}}}, []int{6, 4}},
		{"up to max", []named{{"a", Share{Guaranteed: 2, Max: 3}}, {"b", Share{Guaranteed: 4}}}, []int{3, 7}},
		{"without a guarantee", []named{{"a", Share{}}, {"b", Share{Guaranteed: 4}}}, []int{6, 4}},
		{"a lender's idle slots too", []named{{"a", Share{Guaranteed: 2}}, {"b", Share{Guaranteed: 4, Lend: true}}}, []int{10, 0}},
		{"but not those of a third", []named{{"a", Share{}}, {"b", Share{Guaranteed: 4, Lend: true}}, {"c", Share{Guaranteed: 3}}}, []int{7, 0, 3}},
		{"a lender borrows as well", []named{{"a", Share{Guaranteed: 2, Lend: true}}, {"b", Share{Guaranteed: 5}}}, []int{5, 5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []int
			for _, b := range newPool(t, 10, tt.shares...) {
				got = append(got, fill(b))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestReleasedSlotGoesTo(t *testing.T) {
	q := Share{Queue: 3, MaxWait: time.Second}
	own := func(n int, lend bool) Share { s := q; s.Guaranteed, s.Lend = n, lend; return s }
	lifo := q
	lifo.Order = LIFO
	for _, tt := range []struct {
		name   string
		shares []named // the first one fills the pool, and releases
		come   []int   // the shares of the waiters, by arrival
		want   []int   // the waiters, as served
	}{
		{"the first to come", []named{{"f", Share{}}, {"a", q}, {"b", q}}, []int{1, 2, 1}, []int{0, 1, 2}},
		{"who is below its guarantee", []named{{"f", Share{}}, {"a", q}, {"b", own(1, true)}}, []int{1, 2, 2}, []int{1, 0, 2}},
		{"nobody, if owed to another", []named{{"f", Share{Max: 2}}, {"a", q}, {"b", own(1, false)}}, []int{1}, []int{0}},
		{"the newest of a lifo share, then others", []named{{"f", Share{}}, {"a", lifo}, {"b", q}}, []int{1, 1, 2, 2}, []int{1, 2, 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bs := newPool(t, 3, tt.shares...)
			n := fill(bs[0])
			var queue []*waiter
			for _, i := range tt.come {
				queue = append(queue, enqueue(t, bs[i], 0))
			}
			var got []int
			for range n {
				bs[0].ReleaseAt(0)
				for i, w := range queue {
					if w.granted && !slices.Contains(got, i) {
						got = append(got, i)
					}
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestShareFaults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		shares []named
		want   []string // of the last one
	}{
		{"too much is guaranteed", []named{{"a", Share{Guaranteed: 6}}, {"b", Share{Guaranteed: 5}}}, []string{"guaranteed: must be at most what is left of the pool (4 of 10), is 5"}},
		{"even if it is lent", []named{{"a", Share{Guaranteed: 6, Lend: true}}, {"b", Share{Guaranteed: 5, Lend: true}}}, []string{"guaranteed: must be at most what is left of the pool (4 of 10), is 5"}},
		{"all at once", []named{{"a", Share{}}, {"a", Share{Guaranteed: -1, Max: 11, Queue: 1}}}, []string{
			"guaranteed: must not be negative, is -1", "max_wait: must be positive with a queue", "max: must be at most the pool (10), is 11", "name: is taken"}},
		{"nothing to live on", []named{{"a", Share{Guaranteed: 10}}, {"b", Share{}}}, []string{"guaranteed: must be positive, all slots are guaranteed to others"}},
		{"nothing left to live on", []named{{"a", Share{}}, {"b", Share{Guaranteed: 10}}}, []string{`guaranteed: would leave no slot for share "a", which owns none`}},
		{"living on loans", []named{{"a", Share{}}, {"b", Share{Guaranteed: 10, Lend: true}}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := must(NewPool(10))
			var err error
			for _, s := range tt.shares {
				_, err = p.Share(s.name, s.Share)
			}
			if (err != nil) != (tt.want != nil) {
				t.Fatalf("got %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got:\n%v\nwant in it:\n%s", err, want)
				}
			}
		})
	}
	for _, size := range []int{0, -1, 1 << 31} {
		if _, err := NewPool(size); err == nil {
			t.Errorf("a pool of %d", size)
		}
	}
}

func TestGuaranteeOnLoanCannotBeGiven(t *testing.T) {
	p := must(NewPool(10))
	a := must(p.Share("a", Share{}))
	for range 7 {
		a.TryAcquireAt(0)
	}
	if _, err := p.Share("b", Share{Guaranteed: 4}); err == nil || !strings.Contains(err.Error(), "only 3 slots are not on loan") {
		t.Errorf("got %v", err)
	}
	if _, err := p.Share("c", Share{Guaranteed: 4, Lend: true}); err != nil {
		t.Errorf("a lender's guarantee is no promise of the moment: %v", err)
	}
}

// Two dependencies, 25 callers each that call again as soon as they are
// answered, for 6 s, on 20 slots. A takes a second and is given up after 400 ms;
// B takes 30 ms. Sharing blindly, A holds nearly all slots and B waits for them. A
// split into halves gives B too few. A pool that bounds what A may borrow gives
// B the rest.
func TestSlowNeighbour(t *testing.T) {
	queue := Share{Queue: 25, MaxWait: time.Second}
	share := func(guaranteed, limit int, lend bool) Share {
		s := queue
		s.Guaranteed, s.Max, s.Lend = guaranteed, limit, lend
		return s
	}
	for _, tt := range []struct {
		name     string
		a, b     Share
		min, max time.Duration // of B's median
		perS     int
	}{
		{"blind", share(0, 0, false), share(0, 0, false), 300 * time.Millisecond, 450 * time.Millisecond, 0},
		{"halves", share(10, 10, false), share(10, 10, false), 60 * time.Millisecond, 90 * time.Millisecond, 0},
		{"pool", share(2, 3, false), share(10, 0, false), 30 * time.Millisecond, 45 * time.Millisecond, 560},
		{"pool that lends", share(3, 3, true), share(10, 0, false), 30 * time.Millisecond, 45 * time.Millisecond, 560},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bs := newPool(t, 20, named{"a", tt.a}, named{"b", tt.b})
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var latencies []time.Duration
				var wg sync.WaitGroup
				client := func(b *Bulkhead, call time.Duration, record bool) {
					for start := time.Now(); time.Since(start) < 6*time.Second; {
						t0 := time.Now()
						if _, err := b.Wait(t.Context()); err != nil {
							if errors.Is(err, ErrFull) {
								t.Error(err) // the queue has room for all
								return
							}
							continue
						}
						time.Sleep(call)
						b.Release()
						if record {
							mu.Lock()
							latencies = append(latencies, time.Since(t0))
							mu.Unlock()
						}
					}
				}
				for range 25 {
					wg.Go(func() { client(bs[0], 400*time.Millisecond, false) })
					wg.Go(func() { client(bs[1], 30*time.Millisecond, true) })
				}
				wg.Wait()
				slices.Sort(latencies)
				p50, perS := latencies[len(latencies)/2], len(latencies)/6
				t.Logf("B: p50 %v, %d/s; A at most %d at once", p50, perS, bs[0].Stats().PeakInFlight)
				if p50 < tt.min || p50 > tt.max || perS < tt.perS {
					t.Errorf("want p50 %v to %v, at least %d/s", tt.min, tt.max, tt.perS)
				}
			})
		})
	}
}

package quota

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func TestEmbedded(t *testing.T) {
	e := must(NewEmbedded(Config{Rate: 10, Burst: 5}))
	for _, tt := range []struct {
		name string
		at   int64
		key  string
		cost float64
		want Decision
	}{
		{"full", 0, "a", 2, Decision{OK: true, Remaining: 3, ResetAfter: 200 * time.Millisecond}},
		{"a fraction", 0, "a", 0.5, Decision{OK: true, Remaining: 2.5, ResetAfter: 250 * time.Millisecond}},
		{"another key", 0, "b", 5, Decision{OK: true, ResetAfter: 500 * time.Millisecond}},
		{"too much now", 0, "a", 3, Decision{Remaining: 2.5, RetryAfter: 50 * time.Millisecond, ResetAfter: 250 * time.Millisecond}},
		{"too much ever", 0, "a", 6, Decision{Remaining: 2.5, RetryAfter: Never, ResetAfter: 250 * time.Millisecond}},
		{"negative", 0, "a", -1, Decision{Remaining: 2.5, RetryAfter: Never, ResetAfter: 250 * time.Millisecond}},
		{"no number", 0, "a", math.NaN(), Decision{Remaining: 2.5, RetryAfter: Never, ResetAfter: 250 * time.Millisecond}},
		{"endless", 0, "a", math.Inf(1), Decision{Remaining: 2.5, RetryAfter: Never, ResetAfter: 250 * time.Millisecond}},
		{"nothing", 0, "a", 0, Decision{OK: true, Remaining: 2.5, ResetAfter: 250 * time.Millisecond}},
		{"nothing, of an empty one", 0, "b", 0, Decision{OK: true, ResetAfter: 500 * time.Millisecond}},
		{"after the wait", 50 * ms, "a", 3, Decision{OK: true, ResetAfter: 500 * time.Millisecond}},
		{"full again", 550 * ms, "a", 5, Decision{OK: true, ResetAfter: 500 * time.Millisecond}},
		{"a late reading refills nothing", 300 * ms, "a", 1, Decision{RetryAfter: 100 * time.Millisecond, ResetAfter: 500 * time.Millisecond}},
		{"long after", math.MaxInt64, "a", 5, Decision{OK: true, ResetAfter: 500 * time.Millisecond}},
		{"time went back", 0, "a", 1, Decision{RetryAfter: 100 * time.Millisecond, ResetAfter: 500 * time.Millisecond}},
		{"and is believed", 100 * ms, "a", 1, Decision{OK: true, ResetAfter: 500 * time.Millisecond}},
		{"before the beginning", math.MinInt64, "c", 1, Decision{OK: true, Remaining: 4, ResetAfter: 100 * time.Millisecond}},
	} {
		if got := e.AllowAt(tt.at, tt.key, tt.cost); !same(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// same compares but for rounding.
func same(a, b Decision) bool {
	close := func(x, y time.Duration) bool { return (x - y).Abs() <= 2 }
	return a.OK == b.OK && math.Abs(a.Remaining-b.Remaining) < 1e-9 && close(a.RetryAfter, b.RetryAfter) && close(a.ResetAfter, b.ResetAfter) && errors.Is(a.Err, b.Err)
}

func TestOff(t *testing.T) {
	var asked atomic.Int32
	s := storeFunc(func(context.Context, []Take, []Grant) error { asked.Add(1); return nil })
	for _, c := range []Config{{}, {Mode: ModeCentral}, {Mode: ModeLeased}} {
		q := must(New(c, s))
		if d := q.Allow(t.Context(), "k", 1e300); !d.OK || !math.IsInf(d.Remaining, 1) || d.Err != nil {
			t.Errorf("%+v: %+v", c, d)
		}
		if d := q.Allow(t.Context(), "k", math.NaN()); d.OK || d.RetryAfter != Never {
			t.Errorf("%+v, no number: %+v", c, d)
		}
	}
	if asked.Load() > 0 {
		t.Error("a quota that is off asks the store")
	}
}

// A storeFunc is a store of a test.
type storeFunc func(context.Context, []Take, []Grant) error

func (f storeFunc) Take(ctx context.Context, takes []Take, grants []Grant) error {
	return f(ctx, takes, grants)
}

func TestNewTellsWhatIsMissing(t *testing.T) {
	for _, c := range []Config{{Mode: ModeCentral}, {Mode: ModeLeased}} {
		if q, err := New(c, nil); err == nil || q != nil {
			t.Errorf("%s without a store: %v, %v", c.Mode, q, err)
		}
	}
	if q, err := New(Config{Rate: -1}, nil); err == nil || q != nil {
		t.Errorf("%v, %v", q, err)
	}
	if _, err := NewCentral(Config{Mode: ModeLeased}, NewMemory(0)); err == nil {
		t.Error("a central quota takes the mode leased")
	}
}

func TestSet(t *testing.T) {
	e := must(NewEmbedded(Config{Rate: 100}))
	e.AllowAt(0, "k", 100)
	if err := e.Set(Config{Rate: 1000, Burst: 50}); err != nil {
		t.Fatal(err)
	}
	if d := e.AllowAt(20*ms, "k", 20); !d.OK || d.Remaining > 1e-9 {
		t.Errorf("%+v: what was used stays used, and the new rate refills", d)
	}
	if d := e.AllowAt(second, "k", 51); d.RetryAfter != Never {
		t.Errorf("%+v: more than the new burst", d)
	}
	if e.Set(Config{Rate: math.NaN()}) == nil || e.Set(Config{Mode: ModeLeased}) == nil || e.Set(Config{Rate: 1, Keys: 5}) == nil {
		t.Error("Set takes what it cannot do")
	}
	if d := e.AllowAt(2*second, "k", 50); !d.OK {
		t.Errorf("%+v: a Set that failed has changed something", d)
	}
}

// Take and check are one step, so concurrent requests do not pass together.
func TestConcurrentRequestsShareOneBucket(t *testing.T) {
	m := NewMemory(0)
	limit := Limit{Rate: 1e-9, Window: time.Hour, Burst: 100}
	var got atomic.Int64
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for range 50 {
				if m.TakeAt(0, Take{Key: "k", Limit: limit, Need: 1}).Granted == 1 {
					got.Add(1)
				}
			}
		})
	}
	running.Wait()
	if got.Load() != 100 {
		t.Errorf("%d of 100 granted", got.Load())
	}
}

func TestIDs(t *testing.T) {
	m := NewMemory(0)
	limit := Limit{Rate: 1e-3, Window: time.Hour, Burst: 100}
	at := func(now int64, id string, back, need float64) Grant {
		return m.TakeAt(now, Take{Key: "k", ID: id, Limit: limit, Return: back, Need: need, Remember: 5 * time.Second})
	}
	left := func(want float64) {
		t.Helper()
		if got := m.TakeAt(0, Take{Key: "k", Limit: limit}).Remaining; math.Abs(got-want) > 1e-3 {
			t.Errorf("left %v, want %v", got, want)
		}
	}
	first := at(0, "a", 0, 60)
	for _, now := range []int64{0, ms, second, 4999 * ms} {
		if again := at(now, "a", 0, 60); again != first {
			t.Errorf("at %v: %+v, want %+v", time.Duration(now), again, first)
		}
	}
	left(40)
	if g := at(5*second, "b", 0, 60); g.Granted != 0 { // and a refusal is not remembered
		t.Errorf("%+v", g)
	}
	for range 2 {
		at(5*second, "c", 30, 0) // a return is
	}
	left(70)
	if g := at(5*second, "b", 0, 60); g.Granted != 60 {
		t.Errorf("%+v: a refusal was remembered", g)
	}
	for now := 5 * second; now < 60*second; now += second {
		at(now, "d", 0, 0)
	}
	if g := at(60*second, "a", 0, 5); g.Granted != 5 {
		t.Errorf("%+v: what is forgotten is a new request", g)
	}
}

func TestIDsAreBounded(t *testing.T) {
	m := NewMemory(0)
	limit := Limit{Rate: 1e9, Window: time.Second, Burst: 1e9}
	var i ids
	for range 5 * maxRecent {
		m.TakeAt(0, Take{Key: "k", ID: i.next(), Limit: limit, Need: 1, Remember: time.Hour})
	}
	for n := range m.shards {
		if s := &m.shards[n].seen; len(s.young)+len(s.old) > 2*maxRecent {
			t.Errorf("%d ids are remembered", len(s.young)+len(s.old))
		}
	}
}

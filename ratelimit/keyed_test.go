package ratelimit_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stanch-go/stanch/ratelimit"
)

func newKeyed(rate float64, keys int) *ratelimit.Keyed {
	return must(ratelimit.NewKeyed(ratelimit.KeyedConfig{Rate: rate, Keys: keys}))
}

func TestKeyed(t *testing.T) {
	k := newKeyed(2, 100)
	for _, key := range []string{"", "a", "b", "a very long key of a tenant, with spaces"} {
		b := must(ratelimit.NewBucket(ratelimit.Config{Rate: 2}))
		for _, s := range []struct {
			at   int64
			cost float64
		}{{0, 1}, {0, 1}, {0, 1}, {0, 3}, {100 * ms, 0}, {100 * ms, math.NaN()}, {500 * ms, 1}, {700 * ms, 0.25}, {9 * second, 2}} {
			if got, want := k.AllowAt(s.at, key, s.cost), b.AllowAt(s.at, s.cost); got != want {
				t.Fatalf("%q at %d: %+v, a bucket %+v", key, s.at, got, want)
			}
		}
		k = newKeyed(2, 100)
	}
	off := newKeyed(0, 0)
	if d := off.AllowAt(0, "a", 1e9); !d.OK || !math.IsInf(d.Remaining, 1) {
		t.Errorf("off: %+v", d)
	}
	if d := off.AllowAt(0, "a", -1); d.OK {
		t.Errorf("off: %+v", d)
	}
}

// As many keys as were asked for have a state of their own, in the memory that
// the page promises.
func TestKeyedHasRoom(t *testing.T) {
	for _, n := range []int{1, 7, 100, 4096, 10_000, 300_000} {
		k := newKeyed(1, n)
		refused := 0
		for i := range n {
			if !k.AllowAt(0, strconv.Itoa(i), 1).OK {
				refused++
			}
		}
		if k.LenAt(0) != n || refused != 0 || k.Overflowed() != 0 {
			t.Errorf("%d keys: %d have a place, %d were refused, %d overflowed", n, k.LenAt(0), refused, k.Overflowed())
		}
		for i := range n {
			if k.AllowAt(second-1, strconv.Itoa(i), 1).OK {
				t.Fatalf("%d keys: key %d lost its state", n, i)
			}
		}
		if k.LenAt(second) != 0 {
			t.Errorf("%d keys: %d are not at rest", n, k.LenAt(second))
		}
	}
}

// A flood of made up keys: the known ones keep their limits, all others together
// get that of one, and once it has ebbed all is as before.
func TestKeyedFlood(t *testing.T) {
	k := newKeyed(10, 100)
	for i := range 100 {
		k.AllowAt(0, "known"+strconv.Itoa(i), 10)
	}
	passed := 0
	for i := range 100_000 {
		if k.AllowAt(0, "flood"+strconv.Itoa(i), 10).OK {
			passed++
		}
	}
	if passed > 100*7/4+16+1-100 { // the free places, and one shared
		t.Errorf("%d of the flood passed", passed)
	}
	if k.Overflowed() < 90_000 {
		t.Errorf("%d overflowed", k.Overflowed())
	}
	for i := range 100 {
		if d := k.AllowAt(100*ms, "known"+strconv.Itoa(i), 1); !d.OK || d.Remaining != 0 {
			t.Fatalf("a known key got %+v", d)
		}
	}
	if d := k.AllowAt(100*ms, "new", 1); !d.OK || d.Remaining != 0 {
		t.Errorf("the shared limit: %+v", d)
	}
	if d := k.AllowAt(2*second, "new", 1); !d.OK || d.Remaining != 9 {
		t.Errorf("after the flood: %+v", d)
	}
}

// A key that was in the crowd does not begin anew when it gets a place.
func TestKeyedMovesWithItsDebt(t *testing.T) {
	k := newKeyed(10, 1)
	for i := range 1000 {
		k.AllowAt(0, strconv.Itoa(i), 1) // in use for 100 ms, and 10 of them shared
	}
	if d := k.AllowAt(101*ms, "999", 10); d.OK {
		t.Errorf("began anew: %+v", d)
	}
	if d := k.AllowAt(101*ms, "999", 0.5); !d.OK || d.Remaining > 1 {
		t.Errorf("%+v", d)
	}
}

func TestKeyedSetAt(t *testing.T) {
	k := newKeyed(10, 100)
	for range 6 {
		k.AllowAt(0, "a", 1)
	}
	set := func(c ratelimit.KeyedConfig) {
		t.Helper()
		if err := k.SetAt(0, c); err != nil {
			t.Fatal(err)
		}
	}
	set(ratelimit.KeyedConfig{Rate: 1, Burst: 20, Keys: 100})
	if d := k.AllowAt(0, "a", 0); d.Remaining != 14 || d.ResetAfter != 6*time.Second {
		t.Errorf("%+v", d)
	}
	set(ratelimit.KeyedConfig{Rate: 2, Burst: 3})
	if d := k.AllowAt(0, "a", 0); d.Remaining != 0 || d.ResetAfter != 1500*time.Millisecond {
		t.Errorf("%+v", d)
	}
	set(ratelimit.KeyedConfig{})
	set(ratelimit.KeyedConfig{Rate: 2})
	if d := k.AllowAt(0, "a", 1); d.Remaining != 1 {
		t.Errorf("%+v", d)
	}
	for _, bad := range []ratelimit.KeyedConfig{{Rate: -1}, {Rate: 1, Keys: 101}} {
		if k.SetAt(0, bad) == nil {
			t.Errorf("%+v was accepted", bad)
		}
	}
	if _, err := ratelimit.NewKeyed(ratelimit.KeyedConfig{Keys: -1}); err == nil {
		t.Error("negative keys were accepted")
	}
}

// A caller with a late reading of the clock must not take a key for new whose
// place was given away since, and after time went back all places free up.
func TestKeyedTime(t *testing.T) {
	k := newKeyed(1, 1)
	k.AllowAt(0, "a", 1)
	for i := range 1000 { // take all places
		k.AllowAt(second, strconv.Itoa(i), 1)
	}
	if d := k.AllowAt(0, "a", 1); d.OK {
		t.Errorf("a late reading got %+v", d)
	}
	k = newKeyed(1, 1)
	for i := range 1000 {
		k.AllowAt(math.MaxInt64-second, strconv.Itoa(i), 1)
	}
	k.AllowAt(5*second, "a", 1) // believed
	if d := k.AllowAt(6*second, "a", 1); !d.OK {
		t.Errorf("after time went back: %+v", d)
	}
	if n := k.LenAt(6 * second); n != 1 {
		t.Errorf("%d places are taken", n)
	}
}

// A key that is not at rest, if only by a nanosecond, keeps its place.
func TestKeyedGivesAwayNoPlaceTooEarly(t *testing.T) {
	var k *ratelimit.Keyed
	var known []string
	for try := 0; len(known) < 16; try++ { // take all places, before anything is shared
		if try == 1000 {
			t.Fatal("the places are not taken evenly")
		}
		k, known = newKeyed(1, 1), nil
		for i := range 16 {
			if k.AllowAt(second, strconv.Itoa(i), 1); k.Overflowed() == 0 {
				known = append(known, strconv.Itoa(i))
			}
		}
	}
	k.AllowAt(second, "crowd", 1)
	for _, key := range known {
		if d := k.AllowAt(1500*ms, key, 0.5); !d.OK {
			t.Fatalf("key %s: %+v", key, d)
		}
	}
	for i := range 100 { // the shared state has been at rest since 2 s
		k.AllowAt(2500*ms-1, "new"+strconv.Itoa(i), 1)
	}
	for _, key := range known {
		if d := k.AllowAt(2500*ms-1, key, 1); d.OK || d.RetryAfter != 1 {
			t.Errorf("key %s: %+v", key, d)
		}
	}
}

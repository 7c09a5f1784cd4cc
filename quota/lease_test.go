package quota

import (
	"errors"
	"testing"
	"time"
)

// TestALease plays one instance by hand: the store is this test.
func TestALease(t *testing.T) {
	q := must(NewLeased(Config{Mode: ModeLeased, Rate: 100, OnFailure: FailClosed}, NewMemory(0), Options{Rand: func() float64 { return 0.5 }}))
	allow := func(now int64, cost float64, ok bool, remaining float64) {
		t.Helper()
		if d := q.AllowAt(now, "k", cost); d.OK != ok || d.Remaining != remaining || d.OK == (d.RetryAfter > 0) {
			t.Errorf("at %v, %v: %+v, want %v with %v left", time.Duration(now), cost, d, ok, remaining)
		}
	}
	ask := func(now int64, cost, back, need, want float64) Take {
		t.Helper()
		x, ok := q.AskAt(now, "k", cost)
		if !ok || x.Return != back || x.Need != need || x.Want != want {
			t.Fatalf("at %v, %v: asks for %+v, %v; want %v back, %v, %v", time.Duration(now), cost, x, ok, back, need, want)
		}
		return x
	}
	quiet := func(now int64, cost float64) {
		t.Helper()
		if x, ok := q.AskAt(now, "k", cost); ok {
			t.Errorf("at %v: asks for %+v", time.Duration(now), x)
		}
	}

	allow(0, 1, false, 0)   // nothing yet
	x := ask(0, 1, 0, 1, 8) // a first guess
	quiet(0, 1)             // only once
	allow(ms, 1, false, 0)  // while it is on its way
	q.GrantedAt(2*ms, x, Grant{Granted: 8, Remaining: 92})
	quiet(2*ms, 8)
	for n := range 8 {
		allow(2*ms, 1, true, float64(7-n))
	}
	allow(2*ms, 1, false, 0)
	// Ten were asked for since, in almost no time: eight times as much, but for the
	// bound of a slice.
	y := ask(2*ms, 1, 0, 1, 25)
	q.GrantedAt(3*ms, x, Grant{Granted: 8}) // an answer that comes twice
	allow(3*ms, 1, false, 0)
	q.GrantedAt(4*ms, y, Grant{Granted: 2, Remaining: 1}) // the quota runs out
	allow(5*ms, 2, true, 0)
	allow(5*ms, 1, false, 0)
	quiet(190*ms, 1) // not for a period, a quarter less or more

	// No answer: the same is sent again while the store knows it.
	z := ask(320*ms, 1, 0, 1, 25)
	q.FailedAt(370*ms, z, errors.New("broken"))
	if d := q.AllowAt(371*ms, "k", 1); d.OK || !errors.Is(d.Err, ErrStore) {
		t.Errorf("%+v", d)
	}
	quiet(550*ms, 1)
	if again := ask(690*ms, 3, 0, 1, 25); again.ID != z.ID {
		t.Errorf("asked again as %q, was %q", again.ID, z.ID)
	}
	q.GrantedAt(691*ms, z, Grant{Granted: 12})
	allow(692*ms, 2, true, 10)

	// The term is over: what is left is given back with the next ask, once.
	allow(2689*ms, 1, true, 9)
	allow(2690*ms, 1, false, 0)
	w := ask(3010*ms, 1, 9, 1, 1)
	q.FailedAt(3060*ms, w, errors.New("broken"))
	v, ok := q.AskAt(5600*ms, "k", 1)
	if !ok || v.ID == w.ID || v.Return != 0 {
		t.Errorf("half of Remember is over: %+v, %v; it must not give back again", v, ok)
	}
	// Nobody tells what came of that: in time it is given up.
	quiet(5699*ms, 1)
	if again, ok := q.AskAt(5700*ms, "k", 1); !ok || again.ID != v.ID {
		t.Error("wedged")
	}
}

func TestTimeThatGoesBackDoesNotStarve(t *testing.T) {
	q := must(NewLeased(Config{Mode: ModeLeased, Rate: 100}, NewMemory(0), Options{}))
	day := 24 * int64(time.Hour)
	x, _ := q.AskAt(day, "k", 1)
	q.GrantedAt(day, x, Grant{RetryAfter: time.Hour})
	if d := q.AllowAt(day, "k", 1); d.OK || d.RetryAfter > 2*time.Second {
		t.Errorf("%+v: others may give back sooner than in an hour", d)
	}
	q.AllowAt(0, "k", 1)
	if x, ok := q.AskAt(0, "k", 1); !ok {
		t.Error("waits for a time long past")
	} else if q.GrantedAt(0, x, Grant{Granted: 5}); !q.AllowAt(0, "k", 1).OK {
		t.Error("does not spend what it was granted")
	}
}

// Instances that all ask in step would meet the bucket in the same order each time,
// and the one after the busiest would find it empty each time.
func TestPausesDiffer(t *testing.T) {
	q := must(NewLeased(Config{Mode: ModeLeased, Rate: 100}, NewMemory(0), Options{Rand: func() float64 { return 0.1 }}))
	early, late := 0, 0
	for i := range 100 {
		k := string(rune('a' + i))
		x, _ := q.AskAt(0, k, 1)
		q.GrantedAt(0, x, Grant{})
		if _, ok := q.AskAt(187*ms, k, 1); ok {
			t.Errorf("%s: asks after less than three quarters of a period", k)
		}
		if _, ok := q.AskAt(250*ms, k, 1); ok {
			early++
		} else if _, ok := q.AskAt(313*ms, k, 1); ok {
			late++
		}
	}
	if early < 20 || late < 20 || early+late != 100 {
		t.Errorf("%d ask within the period, %d after it", early, late)
	}
}

func TestDue(t *testing.T) {
	q := must(NewLeased(Config{Mode: ModeLeased, Rate: 100}, NewMemory(0), Options{}))
	for _, k := range []string{"b", "a", "c"} {
		x, _ := q.AskAt(0, k, 1)
		q.GrantedAt(0, x, Grant{Granted: 8})
	}
	for now := int64(0); now < 50*ms; now += 10 * ms {
		q.AllowAt(now, "a", 0.2)
		q.AllowAt(now, "b", 1.6)
	}
	due := q.DueAt(50 * ms)
	if len(due) != 1 || due[0].Key != "b" || due[0].Need != 0 || due[0].Want < 10 {
		t.Errorf("%+v: only b is nearly spent", due)
	}
	q.GrantedAt(50*ms, due[0], Grant{Granted: 10})
	due = q.DueAt(second) // nobody has asked for half a second
	if len(due) != 3 || due[0].Key != "a" || due[0].Return < 6.99 || due[1].Return != 10 || due[2].Return != 8 || due[2].Want != 0 {
		t.Errorf("%+v: want all of it back, by key", due)
	}
	for _, x := range due {
		q.GrantedAt(second, x, Grant{})
	}
	if due := q.DueAt(3 * second); len(due) != 0 || q.Stats().Keys != 0 {
		t.Errorf("%+v, %+v: want all forgotten", due, q.Stats())
	}
}
